import { BinaryWriter } from '@bufbuild/protobuf/wire';
import { Metadata, status as GRPC_CODES } from '@grpc/grpc-js';
import { RateLimitedError, secondsOf, type A2AError } from '#protocol';

/** What grpc-js sends as the end of a call that failed. */
export interface GrpcFailure {
  readonly code: number;
  readonly details: string;
  readonly metadata: Metadata;
}

const DETAILS_KEY = 'grpc-status-details-bin';
const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo';
const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo';
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest';

/** Clients in C++ and Python refuse metadata above 8 KiB; in base64 the details take a third more. */
const MOST_DETAIL_BYTES = 4096;
/** Percent-encoding makes three characters out of every byte that is not ASCII. */
const MOST_MESSAGE_LENGTH = 512;

/** An error as the status of a call (section 10.6): the table's code, and `google.rpc.Status` with the same details as elsewhere. */
export function failureOf(error: A2AError): GrpcFailure {
  const { row, message, info, fieldViolations } = error;
  const code = GRPC_CODES[row.grpc];
  const details = wellFormed(message.slice(0, MOST_MESSAGE_LENGTH));
  const metadata = new Metadata();
  const parts = [any(ERROR_INFO, errorInfo(row.reason, row.domain, info))];
  if (fieldViolations.length > 0) parts.push(any(BAD_REQUEST, badRequest(fieldViolations)));
  if (error instanceof RateLimitedError) parts.push(any(RETRY_INFO, retryInfo(secondsOf(error.retryAfterMs))));
  metadata.set(DETAILS_KEY, Buffer.from(rpcStatus(code, details, parts)));
  return { code, details, metadata };
}

/** `google.rpc.Status` */
function rpcStatus(code: number, message: string, details: readonly Uint8Array[]): Uint8Array {
  const writer = new BinaryWriter().uint32(8).int32(code).uint32(18).string(message);
  for (const detail of details) writer.uint32(26).bytes(detail);
  return writer.finish();
}

/** `google.protobuf.Any` */
const any = (type: string, value: Uint8Array): Uint8Array =>
  new BinaryWriter().uint32(10).string(type).uint32(18).bytes(value).finish();

/** `google.rpc.ErrorInfo` */
function errorInfo(reason: string, domain: string, metadata: Readonly<Record<string, string>>): Uint8Array {
  const writer = new BinaryWriter().uint32(10).string(reason).uint32(18).string(domain);
  for (const [key, value] of Object.entries(metadata)) writer.uint32(26).bytes(pair(key, value));
  return writer.finish();
}

/** `google.rpc.BadRequest`, with as many violations as clients can receive. */
function badRequest(violations: A2AError['fieldViolations']): Uint8Array {
  const writer = new BinaryWriter();
  let bytes = 0;
  for (const { field, description } of violations) {
    const violation = pair(field, description);
    bytes += violation.length + 3;
    if (bytes > MOST_DETAIL_BYTES) break;
    writer.uint32(10).bytes(violation);
  }
  return writer.finish();
}

/** `google.rpc.RetryInfo`, whose field is a `google.protobuf.Duration`. */
const retryInfo = (seconds: number): Uint8Array =>
  new BinaryWriter().uint32(10).bytes(new BinaryWriter().uint32(8).int64(seconds).finish()).finish();

/** Two strings, numbered 1 and 2: the entry of a map, or a violation. */
const pair = (first: string, second: string): Uint8Array =>
  new BinaryWriter().uint32(10).string(wellFormed(first)).uint32(18).string(wellFormed(second)).finish();

/** What a client sent may be repeated to it, and a surrogate without its pair is no text in UTF-8. */
const wellFormed = (text: string): string => Buffer.from(text).toString();
