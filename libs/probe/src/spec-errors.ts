/** Errors of section 5.4 of A2A 1.0.1, and of section 9.5: what each binding must answer. Kept apart from the product's own table. */

interface Row {
  readonly code: number;
  readonly http: number;
  readonly grpc: number;
  /** `reason` of `google.rpc.ErrorInfo`; an error of the protocol itself has one. */
  readonly reason?: string;
}

const NOT_FOUND = 5;
const FAILED_PRECONDITION = 9;
const INVALID_ARGUMENT = 3;

export const SPEC_ERRORS = {
  TaskNotFoundError: { code: -32001, http: 404, grpc: NOT_FOUND, reason: 'TASK_NOT_FOUND' },
  TaskNotCancelableError: { code: -32002, http: 400, grpc: FAILED_PRECONDITION, reason: 'TASK_NOT_CANCELABLE' },
  PushNotificationNotSupportedError: {
    code: -32003,
    http: 400,
    grpc: FAILED_PRECONDITION,
    reason: 'PUSH_NOTIFICATION_NOT_SUPPORTED',
  },
  UnsupportedOperationError: { code: -32004, http: 400, grpc: FAILED_PRECONDITION, reason: 'UNSUPPORTED_OPERATION' },
  ContentTypeNotSupportedError: { code: -32005, http: 400, grpc: INVALID_ARGUMENT, reason: 'CONTENT_TYPE_NOT_SUPPORTED' },
  ExtendedAgentCardNotConfiguredError: {
    code: -32007,
    http: 400,
    grpc: FAILED_PRECONDITION,
    reason: 'EXTENDED_AGENT_CARD_NOT_CONFIGURED',
  },
  ExtensionSupportRequiredError: { code: -32008, http: 400, grpc: FAILED_PRECONDITION, reason: 'EXTENSION_SUPPORT_REQUIRED' },
  VersionNotSupportedError: { code: -32009, http: 400, grpc: FAILED_PRECONDITION, reason: 'VERSION_NOT_SUPPORTED' },
  InvalidParamsError: { code: -32602, http: 400, grpc: INVALID_ARGUMENT },
} as const satisfies Record<string, Row>;

export type SpecError = keyof typeof SPEC_ERRORS;

export const specError = (name: SpecError): Row => SPEC_ERRORS[name];

export const GRPC_CODES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];
