/**
 * The messages of `a2a.proto` 1.0.1 (package `lf.a2a.v1`), as a table: it encodes and decodes gRPC, and says what the JSON form of a
 * message must look like. It is kept apart from the product's own types, so that a fault there is not repeated here.
 */

export interface Field {
  readonly name: string;
  readonly number: number;
  /** `string`, `bytes`, `bool`, `int32`, an enum, a message, `Struct`, `Value` or `Timestamp`. */
  readonly type: string;
  readonly repeated: boolean;
  readonly map: boolean;
  /** REQUIRED in the proto. */
  readonly required: boolean;
  /** REQUIRED, and yet its zero value is a value: `nextPageToken`, `totalSize`. */
  readonly mayBeEmpty: boolean;
  /** The one-of that the field belongs to. */
  readonly oneOf?: string;
}

/** A field is `name number type`; `!` required, `~` required but may be empty, `[]` repeated, `{}` a map from string, `|x` in one-of x. */
function message(...fields: string[]): readonly Field[] {
  return fields.map((field) => {
    const [name = '', number, type = '', oneOf] = field.split(/ |\|/);
    return {
      name: name.replace(/[!~]$/, ''),
      number: Number(number),
      type: type.replace(/(\[\]|\{\})$/, ''),
      repeated: type.endsWith('[]'),
      map: type.endsWith('{}'),
      required: /[!~]$/.test(name),
      mayBeEmpty: name.endsWith('~'),
      ...(oneOf !== undefined && { oneOf }),
    };
  });
}

export const ENUMS: Readonly<Record<string, readonly string[]>> = {
  TaskState: [
    'UNSPECIFIED',
    'SUBMITTED',
    'WORKING',
    'COMPLETED',
    'FAILED',
    'CANCELED',
    'INPUT_REQUIRED',
    'REJECTED',
    'AUTH_REQUIRED',
  ].map((state) => `TASK_STATE_${state}`),
  Role: ['ROLE_UNSPECIFIED', 'ROLE_USER', 'ROLE_AGENT'],
};

const SCOPES = 'scopes~';

export const MESSAGES: Readonly<Record<string, readonly Field[]>> = {
  SendMessageConfiguration: message(
    'acceptedOutputModes 1 string[]',
    'taskPushNotificationConfig 2 TaskPushNotificationConfig',
    'historyLength 3 int32',
    'returnImmediately 4 bool',
  ),
  Task: message(
    'id! 1 string',
    'contextId 2 string',
    'status! 3 TaskStatus',
    'artifacts 4 Artifact[]',
    'history 5 Message[]',
    'metadata 6 Struct',
  ),
  TaskStatus: message('state! 1 TaskState', 'message 2 Message', 'timestamp 3 Timestamp'),
  Part: message(
    'text 1 string|content',
    'raw 2 bytes|content',
    'url 3 string|content',
    'data 4 Value|content',
    'metadata 5 Struct',
    'filename 6 string',
    'mediaType 7 string',
  ),
  Message: message(
    'messageId! 1 string',
    'contextId 2 string',
    'taskId 3 string',
    'role! 4 Role',
    'parts! 5 Part[]',
    'metadata 6 Struct',
    'extensions 7 string[]',
    'referenceTaskIds 8 string[]',
  ),
  Artifact: message(
    'artifactId! 1 string',
    'name 2 string',
    'description 3 string',
    'parts! 4 Part[]',
    'metadata 5 Struct',
    'extensions 6 string[]',
  ),
  TaskStatusUpdateEvent: message('taskId! 1 string', 'contextId! 2 string', 'status! 3 TaskStatus', 'metadata 4 Struct'),
  TaskArtifactUpdateEvent: message(
    'taskId! 1 string',
    'contextId! 2 string',
    'artifact! 3 Artifact',
    'append 4 bool',
    'lastChunk 5 bool',
    'metadata 6 Struct',
  ),
  AuthenticationInfo: message('scheme! 1 string', 'credentials 2 string'),
  AgentInterface: message('url! 1 string', 'protocolBinding! 2 string', 'tenant 3 string', 'protocolVersion! 4 string'),
  AgentCard: message(
    'name! 1 string',
    'description! 2 string',
    'supportedInterfaces! 3 AgentInterface[]',
    'provider 4 AgentProvider',
    'version! 5 string',
    'documentationUrl 6 string',
    'capabilities! 7 AgentCapabilities',
    'securitySchemes 8 SecurityScheme{}',
    'securityRequirements 9 SecurityRequirement[]',
    'defaultInputModes! 10 string[]',
    'defaultOutputModes! 11 string[]',
    'skills! 12 AgentSkill[]',
    'signatures 13 AgentCardSignature[]',
    'iconUrl 14 string',
  ),
  AgentProvider: message('url! 1 string', 'organization! 2 string'),
  AgentCapabilities: message(
    'streaming 1 bool',
    'pushNotifications 2 bool',
    'extensions 3 AgentExtension[]',
    'extendedAgentCard 4 bool',
  ),
  AgentExtension: message('uri 1 string', 'description 2 string', 'required 3 bool', 'params 4 Struct'),
  AgentSkill: message(
    'id! 1 string',
    'name! 2 string',
    'description! 3 string',
    'tags! 4 string[]',
    'examples 5 string[]',
    'inputModes 6 string[]',
    'outputModes 7 string[]',
    'securityRequirements 8 SecurityRequirement[]',
  ),
  AgentCardSignature: message('protected! 1 string', 'signature! 2 string', 'header 3 Struct'),
  TaskPushNotificationConfig: message(
    'tenant 1 string',
    'id 2 string',
    'taskId 3 string',
    'url! 4 string',
    'token 5 string',
    'authentication 6 AuthenticationInfo',
  ),
  StringList: message('list 1 string[]'),
  SecurityRequirement: message('schemes 1 StringList{}'),
  SecurityScheme: message(
    'apiKeySecurityScheme 1 APIKeySecurityScheme|scheme',
    'httpAuthSecurityScheme 2 HTTPAuthSecurityScheme|scheme',
    'oauth2SecurityScheme 3 OAuth2SecurityScheme|scheme',
    'openIdConnectSecurityScheme 4 OpenIdConnectSecurityScheme|scheme',
    'mtlsSecurityScheme 5 MutualTlsSecurityScheme|scheme',
  ),
  APIKeySecurityScheme: message('description 1 string', 'location! 2 string', 'name! 3 string'),
  HTTPAuthSecurityScheme: message('description 1 string', 'scheme! 2 string', 'bearerFormat 3 string'),
  OAuth2SecurityScheme: message('description 1 string', 'flows! 2 OAuthFlows', 'oauth2MetadataUrl 3 string'),
  OpenIdConnectSecurityScheme: message('description 1 string', 'openIdConnectUrl! 2 string'),
  MutualTlsSecurityScheme: message('description 1 string'),
  OAuthFlows: message(
    'authorizationCode 1 AuthorizationCodeOAuthFlow|flow',
    'clientCredentials 2 ClientCredentialsOAuthFlow|flow',
    'implicit 3 ImplicitOAuthFlow|flow',
    'password 4 PasswordOAuthFlow|flow',
    'deviceCode 5 DeviceCodeOAuthFlow|flow',
  ),
  AuthorizationCodeOAuthFlow: message(
    'authorizationUrl! 1 string',
    'tokenUrl! 2 string',
    'refreshUrl 3 string',
    `${SCOPES} 4 string{}`,
    'pkceRequired 5 bool',
  ),
  ClientCredentialsOAuthFlow: message('tokenUrl! 1 string', 'refreshUrl 2 string', `${SCOPES} 3 string{}`),
  ImplicitOAuthFlow: message('authorizationUrl 1 string', 'refreshUrl 2 string', 'scopes 3 string{}'),
  PasswordOAuthFlow: message('tokenUrl 1 string', 'refreshUrl 2 string', 'scopes 3 string{}'),
  DeviceCodeOAuthFlow: message(
    'deviceAuthorizationUrl! 1 string',
    'tokenUrl! 2 string',
    'refreshUrl 3 string',
    `${SCOPES} 4 string{}`,
  ),
  SendMessageRequest: message(
    'tenant 1 string',
    'message! 2 Message',
    'configuration 3 SendMessageConfiguration',
    'metadata 4 Struct',
  ),
  GetTaskRequest: message('tenant 1 string', 'id! 2 string', 'historyLength 3 int32'),
  ListTasksRequest: message(
    'tenant 1 string',
    'contextId 2 string',
    'status 3 TaskState',
    'pageSize 4 int32',
    'pageToken 5 string',
    'historyLength 6 int32',
    'statusTimestampAfter 7 Timestamp',
    'includeArtifacts 8 bool',
  ),
  ListTasksResponse: message('tasks~ 1 Task[]', 'nextPageToken~ 2 string', 'pageSize~ 3 int32', 'totalSize~ 4 int32'),
  CancelTaskRequest: message('tenant 1 string', 'id! 2 string', 'metadata 3 Struct'),
  GetTaskPushNotificationConfigRequest: message('tenant 1 string', 'taskId! 2 string', 'id! 3 string'),
  DeleteTaskPushNotificationConfigRequest: message('tenant 1 string', 'taskId! 2 string', 'id! 3 string'),
  SubscribeToTaskRequest: message('tenant 1 string', 'id! 2 string'),
  ListTaskPushNotificationConfigsRequest: message(
    'taskId! 1 string',
    'pageSize 2 int32',
    'pageToken 3 string',
    'tenant 4 string',
  ),
  GetExtendedAgentCardRequest: message('tenant 1 string'),
  SendMessageResponse: message('task 1 Task|payload', 'message 2 Message|payload'),
  StreamResponse: message(
    'task 1 Task|payload',
    'message 2 Message|payload',
    'statusUpdate 3 TaskStatusUpdateEvent|payload',
    'artifactUpdate 4 TaskArtifactUpdateEvent|payload',
  ),
  ListTaskPushNotificationConfigsResponse: message('configs 1 TaskPushNotificationConfig[]', 'nextPageToken 2 string'),
  Empty: [],
  // google.rpc, of which error details consist.
  Status: message('code 1 int32', 'message 2 string', 'details 3 Any[]'),
  Any: message('typeUrl 1 string', 'value 2 bytes'),
  ErrorInfo: message('reason 1 string', 'domain 2 string', 'metadata 3 string{}'),
  BadRequest: message('fieldViolations 1 FieldViolation[]'),
  FieldViolation: message('field 1 string', 'description 2 string'),
};

/** Messages that must have exactly one member of their one-of set. */
export const NEEDS_ONE: Readonly<Record<string, string>> = {
  Part: 'content',
  SendMessageResponse: 'payload',
  StreamResponse: 'payload',
  SecurityScheme: 'scheme',
  OAuthFlows: 'flow',
};
