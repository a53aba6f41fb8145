export {
  A2AError,
  AgentNotFoundError,
  ContentTypeNotSupportedError,
  ERROR_TABLE,
  ExtensionSupportRequiredError,
  InternalError,
  InvalidParamsError,
  InvalidRequestError,
  JsonParseError,
  MethodNotFoundError,
  PushNotificationNotSupportedError,
  TaskNotCancelableError,
  TaskNotFoundError,
  PermissionDeniedError,
  RateLimitedError,
  UnauthenticatedError,
  UnavailableError,
  UnsupportedOperationError,
  VersionNotSupportedError,
  secondsOf,
} from './errors.js';
export type { ErrorName, ErrorRow, FieldViolation, GrpcStatus } from './errors.js';
export { toHttpErrorBody, toJsonRpcError } from './error-body.js';
export type {
  BadRequestDetail,
  ErrorDetail,
  ErrorInfoDetail,
  HttpErrorBody,
  JsonRpcErrorObject,
  RetryInfoDetail,
} from './error-body.js';
export { SCOPES, isScope } from './scopes.js';
export type { Scope } from './scopes.js';
export { OPERATIONS, operationOf, requireCapability } from './methods.js';
export type { Capability, Operation, OperationName } from './methods.js';
export { negotiateVersion } from './version.js';
export { activateExtensions, parseExtensions } from './extensions.js';
export { parseUrl } from './parse-url.js';
export { acceptsMediaType, mediaTypeOf, outputModesIntersect } from './media-types.js';
export { isName } from './names.js';
export { DEFAULT_LIMITS, LIMIT_VARIABLES } from './schemas/limits.js';
export type { Limits } from './schemas/limits.js';
export type { ParseOptions } from './schemas/parse-request.js';
export { idFault } from './schemas/field-reader.js';
export { parseSendMessageRequest } from './schemas/send-message-request.js';
export {
  parseCancelTaskRequest,
  parseGetTaskRequest,
  parseListTasksRequest,
  parseSubscribeToTaskRequest,
} from './schemas/task-requests.js';
export {
  parseDeleteTaskPushNotificationConfigRequest,
  parseGetExtendedAgentCardRequest,
  parseGetTaskPushNotificationConfigRequest,
  parseListTaskPushNotificationConfigsRequest,
  parseTaskPushNotificationConfig,
} from './schemas/push-config-requests.js';
export { InvalidAgentCardError, parseAgentCardTemplate, parseExtendedCardTemplate } from './schemas/agent-card-template.js';
export { TASK_STATE_NUMBERS, isInterrupted, isTerminal, taskStateOf } from './task-state.js';
export type {
  AgentCapabilities,
  AgentCard,
  AgentCardTemplate,
  AgentExtension,
  AgentInterface,
  AgentProvider,
  AgentSkill,
  ExtendedCardTemplate,
  ExtendedSkill,
  OAuthFlows,
  SecurityRequirement,
  SecurityScheme,
} from './agent-card.js';
export type {
  Artifact,
  AuthenticationInfo,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  JsonValue,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  Message,
  Part,
  Role,
  SendMessageConfiguration,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  Struct,
  SubscribeToTaskRequest,
  Task,
  TaskArtifactUpdateEvent,
  TaskPushNotificationConfig,
  TaskState,
  TaskStatus,
  TaskStatusUpdateEvent,
  WireText,
} from './types.js';
export { unwrapData, wrapData } from './v0_3/data-part.js';
export type { AnswerForm, Form } from './v0_3/form.js';
export { KIND_FORM } from './v0_3/kind-form.js';
export { PROTO_FORM } from './v0_3/proto-form.js';
export { normaliseTimestamp } from './schemas/timestamp.js';
