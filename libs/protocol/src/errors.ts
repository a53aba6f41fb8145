/**
 * The one table of errors (section 5.4 of A2A 1.0.1, and what JSON-RPC and HTTP need beside it).
 * Code throws by meaning; each binding maps a row once.
 */

export type GrpcStatus =
  | 'NOT_FOUND'
  | 'FAILED_PRECONDITION'
  | 'INVALID_ARGUMENT'
  | 'INTERNAL'
  | 'UNIMPLEMENTED'
  | 'UNAVAILABLE'
  | 'RESOURCE_EXHAUSTED'
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED';

export interface ErrorRow {
  readonly code: number;
  readonly http: number;
  readonly grpc: GrpcStatus;
  /** `reason` of the `google.rpc.ErrorInfo` detail. */
  readonly reason: string;
  /** `domain` of the `google.rpc.ErrorInfo` detail. */
  readonly domain: string;
}

const A2A_DOMAIN = 'a2a-protocol.org';
const HTTP_DOMAIN = 'chorus';

const row = (code: number, http: number, grpc: GrpcStatus, reason: string, domain = A2A_DOMAIN): ErrorRow =>
  Object.freeze({ code, http, grpc, reason, domain });

export const ERROR_TABLE = Object.freeze({
  TaskNotFoundError: row(-32001, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'),
  TaskNotCancelableError: row(-32002, 400, 'FAILED_PRECONDITION', 'TASK_NOT_CANCELABLE'),
  PushNotificationNotSupportedError: row(-32003, 400, 'FAILED_PRECONDITION', 'PUSH_NOTIFICATION_NOT_SUPPORTED'),
  UnsupportedOperationError: row(-32004, 400, 'FAILED_PRECONDITION', 'UNSUPPORTED_OPERATION'),
  ContentTypeNotSupportedError: row(-32005, 400, 'INVALID_ARGUMENT', 'CONTENT_TYPE_NOT_SUPPORTED'),
  InvalidAgentResponseError: row(-32006, 500, 'INTERNAL', 'INVALID_AGENT_RESPONSE'),
  ExtendedAgentCardNotConfiguredError: row(-32007, 400, 'FAILED_PRECONDITION', 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'),
  ExtensionSupportRequiredError: row(-32008, 400, 'FAILED_PRECONDITION', 'EXTENSION_SUPPORT_REQUIRED'),
  VersionNotSupportedError: row(-32009, 400, 'FAILED_PRECONDITION', 'VERSION_NOT_SUPPORTED'),
  JsonParseError: row(-32700, 400, 'INVALID_ARGUMENT', 'PARSE_ERROR', HTTP_DOMAIN),
  InvalidRequestError: row(-32600, 400, 'INVALID_ARGUMENT', 'INVALID_REQUEST', HTTP_DOMAIN),
  UnauthenticatedError: row(-32600, 401, 'UNAUTHENTICATED', 'UNAUTHENTICATED', HTTP_DOMAIN),
  PermissionDeniedError: row(-32600, 403, 'PERMISSION_DENIED', 'PERMISSION_DENIED', HTTP_DOMAIN),
  MethodNotFoundError: row(-32601, 404, 'UNIMPLEMENTED', 'METHOD_NOT_FOUND', HTTP_DOMAIN),
  InvalidParamsError: row(-32602, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS', HTTP_DOMAIN),
  InternalError: row(-32603, 500, 'INTERNAL', 'INTERNAL', HTTP_DOMAIN),
  AgentNotFoundError: row(-32601, 404, 'NOT_FOUND', 'AGENT_NOT_FOUND', HTTP_DOMAIN),
  MethodNotAllowedError: row(-32600, 405, 'UNIMPLEMENTED', 'METHOD_NOT_ALLOWED', HTTP_DOMAIN),
  PayloadTooLargeError: row(-32600, 413, 'RESOURCE_EXHAUSTED', 'PAYLOAD_TOO_LARGE', HTTP_DOMAIN),
  UnsupportedMediaTypeError: row(-32005, 415, 'INVALID_ARGUMENT', 'UNSUPPORTED_MEDIA_TYPE', HTTP_DOMAIN),
  RateLimitedError: row(-32603, 429, 'RESOURCE_EXHAUSTED', 'RATE_LIMITED', HTTP_DOMAIN),
  UnavailableError: row(-32603, 503, 'UNAVAILABLE', 'UNAVAILABLE', HTTP_DOMAIN),
});

export type ErrorName = keyof typeof ERROR_TABLE;

/** One fault of a request; `field` is a path in wire names, as `message.parts[0].text`. */
export interface FieldViolation {
  field: string;
  description: string;
}

/**
 * Every error that a caller is meant to see. Anything else that is thrown reaches it as an InternalError with an id.
 * `info` becomes the string metadata of the `ErrorInfo` detail.
 */
export class A2AError extends Error {
  constructor(
    override readonly name: ErrorName,
    message: string,
    readonly info: Readonly<Record<string, string>> = {},
    readonly fieldViolations: readonly FieldViolation[] = [],
  ) {
    super(message);
  }

  get row(): ErrorRow {
    return ERROR_TABLE[this.name];
  }
}

/** No such task for this caller: unknown, purged and someone else's are one error. */
export class TaskNotFoundError extends A2AError {
  constructor(readonly taskId: string) {
    super('TaskNotFoundError', 'Task not found', { taskId });
  }
}

export class TaskNotCancelableError extends A2AError {
  constructor(
    readonly taskId: string,
    state: string,
  ) {
    super('TaskNotCancelableError', `Task cannot be canceled: it is ${state}`, { taskId, state });
  }
}

export class UnsupportedOperationError extends A2AError {
  constructor(message: string, info: Readonly<Record<string, string>> = {}) {
    super('UnsupportedOperationError', message, info);
  }
}

export class PushNotificationNotSupportedError extends A2AError {
  constructor() {
    super('PushNotificationNotSupportedError', 'This agent does not support push notifications');
  }
}

export class ContentTypeNotSupportedError extends A2AError {
  constructor(message: string, fieldViolations: readonly FieldViolation[] = []) {
    super('ContentTypeNotSupportedError', message, {}, fieldViolations);
  }
}

export class ExtensionSupportRequiredError extends A2AError {
  constructor(uri: string) {
    super('ExtensionSupportRequiredError', `The agent requires the extension ${uri}: name it in A2A-Extensions`, { uri });
  }
}

export class VersionNotSupportedError extends A2AError {
  constructor(requested: string, supported: readonly string[], hint = '') {
    const asked = requested === '' ? 'No A2A-Version was sent, which means 0.3' : `A2A version ${requested} is not supported`;
    super('VersionNotSupportedError', `${asked}; supported: ${supported.join(', ')}${hint}`, {
      requested,
      supported: supported.join(','),
    });
  }
}

/** A request whose fields are wrong, one violation per fault; a violation of the request as a whole has the field `""`. */
export class InvalidParamsError extends A2AError {
  constructor(fieldViolations: readonly FieldViolation[], message?: string) {
    super('InvalidParamsError', message ?? summaryOf(fieldViolations), {}, fieldViolations);
  }
}

function summaryOf([first, ...others]: readonly FieldViolation[]): string {
  if (!first) return 'Invalid parameters';
  const summary = first.field === '' ? first.description : `${first.field}: ${first.description}`;
  return others.length === 0 ? summary : `${summary} (and ${others.length} more)`;
}

/** The body is not JSON. */
export class JsonParseError extends A2AError {
  constructor() {
    super('JsonParseError', 'Invalid JSON payload');
  }
}

/** JSON, but not a JSON-RPC request. */
export class InvalidRequestError extends A2AError {
  constructor(message: string) {
    super('InvalidRequestError', message);
  }
}

/** What a client sent is repeated to it only so far: an answer must not grow with the request. */
const MOST_REPEATED = 128;

export class MethodNotFoundError extends A2AError {
  constructor(asked: string, hint = '') {
    const method = asked.length > MOST_REPEATED ? `${asked.slice(0, MOST_REPEATED)}…` : asked;
    super('MethodNotFoundError', `Method not found: ${method}${hint}`, { method });
  }
}

/** Anything that was not meant for the caller's eyes: it gets the id under which the cause was logged, and nothing else. */
export class InternalError extends A2AError {
  constructor(readonly errorId: string) {
    super('InternalError', `Internal error ${errorId}`, { errorId });
  }
}

export class AgentNotFoundError extends A2AError {
  constructor(agentId: string, hint = '') {
    super('AgentNotFoundError', `Agent not found: ${agentId}${hint}`, { agentId });
  }
}

/**
 * No credential, or one that is not valid; nothing is said of which part of it is wrong. `challenge` is that of
 * `WWW-Authenticate` (RFC 9110, RFC 6750).
 */
export class UnauthenticatedError extends A2AError {
  constructor(
    message: string,
    readonly challenge: string,
  ) {
    super('UnauthenticatedError', message);
  }
}

/** The credential is valid and does not permit this, whatever it was asked about. */
export class PermissionDeniedError extends A2AError {
  readonly challenge: string;

  /** `scope` is the one that is missing, when another credential could have it. */
  constructor(message: string, scope?: string) {
    super('PermissionDeniedError', message, scope === undefined ? {} : { scope });
    this.challenge = `Bearer error="insufficient_scope"${scope === undefined ? '' : `, scope="${scope}"`}`;
  }
}

/** The caller has used up what it may; the same request is answered later. */
export class RateLimitedError extends A2AError {
  /**
   * `retryAfterMs`: in how many milliseconds a request is admitted again, or may be. `headers` say more to clients of HTTP, by names in lower case;
   * `info` to all.
   */
  constructor(
    message: string,
    readonly retryAfterMs: number,
    readonly headers: Readonly<Record<string, string>> = {},
    info: Readonly<Record<string, string>> = {},
  ) {
    super('RateLimitedError', message, { retryAfterSeconds: String(secondsOf(retryAfterMs)), ...info });
  }
}

/** As `Retry-After` has them: whole ones, and never none. */
export const secondsOf = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));

/** The host cannot answer now; the task, if one is named, goes on. */
export class UnavailableError extends A2AError {
  constructor(message: string, info: Readonly<Record<string, string>> = {}) {
    super('UnavailableError', message, info);
  }
}
