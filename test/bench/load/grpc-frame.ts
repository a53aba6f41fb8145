import { protoDirectory } from '#platform';
import { loadDescriptors } from '#transport';
import { fromJson, toBinary, type JsonValue } from '@bufbuild/protobuf';

const SERVICE = 'lf.a2a.v1.A2AService';

export const pathOf = (method: string): string => `/${SERVICE}/${method}`;

/** Length of what stands before each message on the wire: a flag for compression, and the message's length. */
export const PREFIX_BYTES = 5;

/** A request, given as ProtoJSON, as its bytes in the body of an HTTP/2 request. */
export function grpcFrame(method: string, request: object): Buffer {
  const { registry } = loadDescriptors(protoDirectory);
  const description = registry.getService(SERVICE)?.methods.find(({ name }) => name === method);
  if (!description) throw new Error(`no method ${method}`);
  const message = toBinary(description.input, fromJson(description.input, request as JsonValue));
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** Every gRPC request's headers. */
export const grpcHeaders = (method: string): Record<string, string> => ({
  ':method': 'POST',
  ':path': pathOf(method),
  'content-type': 'application/grpc+proto',
  te: 'trailers',
  'a2a-version': '1.0',
});
