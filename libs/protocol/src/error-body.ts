import { RateLimitedError, secondsOf, type A2AError, type FieldViolation, type GrpcStatus } from './errors.js';

/** `google.rpc.ErrorInfo` in its ProtoJSON form. */
export interface ErrorInfoDetail {
  '@type': 'type.googleapis.com/google.rpc.ErrorInfo';
  reason: string;
  domain: string;
  metadata?: { readonly [key: string]: string };
}

/** `google.rpc.BadRequest` in its ProtoJSON form. */
export interface BadRequestDetail {
  '@type': 'type.googleapis.com/google.rpc.BadRequest';
  fieldViolations: readonly FieldViolation[];
}

/** `google.rpc.RetryInfo` in its ProtoJSON form. */
export interface RetryInfoDetail {
  '@type': 'type.googleapis.com/google.rpc.RetryInfo';
  /** Seconds, as `12s`. */
  retryDelay: string;
}

export type ErrorDetail = ErrorInfoDetail | BadRequestDetail | RetryInfoDetail;

/** The `error` of a JSON-RPC response (section 9.5). */
export interface JsonRpcErrorObject {
  code: number;
  message: string;
  data: ErrorDetail[];
}

/** The body of an HTTP+JSON error response (section 11.6): a `google.rpc.Status` whose code is the HTTP status. */
export interface HttpErrorBody {
  error: { code: number; status: GrpcStatus; message: string; details: ErrorDetail[] };
}

/** What every binding says of an error beside its code and message: the ErrorInfo first, then the violations, or when to try again, if any. */
function errorDetails(error: A2AError): ErrorDetail[] {
  const { row, info, fieldViolations } = error;
  const errorInfo: ErrorInfoDetail = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: row.reason,
    domain: row.domain,
    ...(Object.keys(info).length > 0 ? { metadata: info } : {}),
  };
  if (error instanceof RateLimitedError) {
    const retryDelay = `${secondsOf(error.retryAfterMs)}s`;
    return [errorInfo, { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }];
  }
  if (fieldViolations.length === 0) return [errorInfo];
  return [errorInfo, { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations }];
}

export const toJsonRpcError = (error: A2AError): JsonRpcErrorObject => ({
  code: error.row.code,
  message: error.message,
  data: errorDetails(error),
});

export const toHttpErrorBody = (error: A2AError): HttpErrorBody => ({
  error: { code: error.row.http, status: error.row.grpc, message: error.message, details: errorDetails(error) },
});
