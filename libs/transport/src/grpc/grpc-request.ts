import type { Metadata, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import type { IncomingHttpHeaders } from 'node:http';
import { clientAddressOf } from '../client-address.js';
import { forwardedCertificate } from '../client-certificate.js';
import type { Host } from '../host.js';
import type { CallRequest } from '../http.js';
import { originBeside, type Origin } from '../origin.js';

export type UnaryCall = ServerUnaryCall<Buffer, Buffer>;
export type StreamingCall = ServerWritableStream<Buffer, Buffer>;

/** A gRPC call as the operations see requests: its metadata are the headers of the other bindings. */
export class GrpcRequest implements CallRequest {
  readonly headers: IncomingHttpHeaders;

  constructor(
    private readonly call: UnaryCall | StreamingCall,
    private readonly host: Pick<Host, 'isTrusted' | 'httpOriginOf' | 'certificateHeader'> = {},
  ) {
    this.headers = headersOf(call.metadata);
  }

  get url(): string {
    return this.call.getPath();
  }

  get clientAddress(): string | undefined {
    return clientAddressOf(addressIn(this.call.getPeer()), this.headers, this.host.isTrusted ?? (() => false));
  }

  get clientCertificate(): Uint8Array | undefined {
    const { isTrusted = () => false, certificateHeader } = this.host;
    if (certificateHeader === undefined) return undefined;
    return forwardedCertificate(addressIn(this.call.getPeer()), this.headers, { isTrusted, certificateHeader });
  }

  get origin(): Origin {
    const authority = this.call.getHost();
    return this.host.httpOriginOf?.(authority) ?? originBeside(authority, portIn(authority));
  }

  /** Aborted when the client cancels, vanishes, or its deadline has passed. */
  signal(): AbortSignal {
    const controller = new AbortController();
    this.call.once('cancelled', () => controller.abort());
    if (this.call.cancelled) controller.abort();
    return controller.signal;
  }
}

/** grpc-js gives `127.0.0.1:50000` and `::1:50000`, and `unknown` when the connection is gone. */
const addressIn = (peer: string): string | undefined => /^(.+):\d+$/.exec(peer)?.[1];

const portIn = (authority: string): number => Number(/:(\d{1,5})$/.exec(authority)?.[1] ?? 80);

/** Metadata that came several times is joined, as Node joins headers. `a2a-last-event-id` is `Last-Event-ID` under a name that is free. */
function headersOf(metadata: Metadata): IncomingHttpHeaders {
  const headers: Record<string, string> = {};
  for (const key of Object.keys(metadata.getMap())) {
    if (!key.endsWith('-bin')) headers[key] = metadata.get(key).join(', ');
  }
  const lastEventId = headers['a2a-last-event-id'];
  return lastEventId === undefined ? headers : { ...headers, 'last-event-id': lastEventId };
}
