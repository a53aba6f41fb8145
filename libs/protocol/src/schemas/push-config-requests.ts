import { parseUrl } from '../parse-url.js';
import type {
  AuthenticationInfo,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigsRequest,
  TaskPushNotificationConfig,
} from '../types.js';
import type { FieldReader } from './field-reader.js';
import { DEFAULT_LIMITS } from './limits.js';
import type { Limits } from './limits.js';
import { parseRequest, withTenant } from './parse-request.js';
import type { ParseOptions } from './parse-request.js';
import { readPageSize } from './task-requests.js';

const MAX_URL_LENGTH = 2048;
const MAX_SCHEME_LENGTH = 64;
/** Servers take 8 KiB of headers and more. */
const MAX_SECRET_LENGTH = 4096;

/** RFC 9110, 11.1: a token. */
const AUTH_SCHEME = new RegExp(`^[!#$%&'*+.^_\`|~0-9A-Za-z-]{1,${MAX_SCHEME_LENGTH}}$`);
/** RFC 9110, 5.5, without what is obsolete or would be cut off at the ends. */
const HEADER_TEXT = /^[!-~](?:[ -~]*[!-~])?$/;

/** The request of CreateTaskPushNotificationConfig, which names its task. Throws InvalidParamsError. */
export const parseTaskPushNotificationConfig = (input: unknown, limits: Limits = DEFAULT_LIMITS): TaskPushNotificationConfig =>
  parseRequest(input, limits, {}, (reader) => {
    const config = readPushConfig(reader);
    if (config.taskId === undefined) reader.fault('taskId', 'is required and must not be empty');
    return config;
  });

/** Throws InvalidParamsError. */
export const parseGetTaskPushNotificationConfigRequest = (
  input: unknown,
  limits: Limits = DEFAULT_LIMITS,
  options: ParseOptions = {},
): GetTaskPushNotificationConfigRequest => parseRequest(input, limits, options, readConfigName);

/** Throws InvalidParamsError. */
export const parseDeleteTaskPushNotificationConfigRequest = (
  input: unknown,
  limits: Limits = DEFAULT_LIMITS,
  options: ParseOptions = {},
): DeleteTaskPushNotificationConfigRequest => parseRequest(input, limits, options, readConfigName);

/** Throws InvalidParamsError. A page size of 0 is the default one: the proto gives this field no presence. */
export const parseListTaskPushNotificationConfigsRequest = (
  input: unknown,
  limits: Limits = DEFAULT_LIMITS,
  options: ParseOptions = {},
): ListTaskPushNotificationConfigsRequest =>
  parseRequest(input, limits, options, (reader) => {
    const request: ListTaskPushNotificationConfigsRequest = withTenant(reader, { taskId: reader.requiredId('taskId') });
    const pageSize = readPageSize(reader, 0);
    const pageToken = reader.string('pageToken');
    if (pageSize) request.pageSize = pageSize;
    if (pageToken !== undefined) request.pageToken = pageToken;
    return request;
  });

/** Throws InvalidParamsError. */
export const parseGetExtendedAgentCardRequest = (
  input: unknown,
  limits: Limits = DEFAULT_LIMITS,
  options: ParseOptions = {},
): GetExtendedAgentCardRequest => parseRequest(input, limits, options, (reader) => withTenant(reader, {}));

/** A configuration as it is sent on its own and in a SendMessage request, where it has no task yet. */
export function readPushConfig(reader: FieldReader): TaskPushNotificationConfig {
  const config: TaskPushNotificationConfig = { url: readUrl(reader) };
  const tenant = reader.id('tenant');
  const id = reader.id('id');
  const taskId = reader.id('taskId');
  const token = readSecret(reader, 'token');
  const authentication = reader.message('authentication');
  if (tenant !== undefined) config.tenant = tenant;
  if (id !== undefined) config.id = id;
  if (taskId !== undefined) config.taskId = taskId;
  if (token !== undefined) config.token = token;
  if (authentication) config.authentication = readAuthentication(authentication);
  return config;
}

function readAuthentication(reader: FieldReader): AuthenticationInfo {
  const authentication: AuthenticationInfo = { scheme: readScheme(reader) };
  const credentials = readSecret(reader, 'credentials');
  if (credentials !== undefined) authentication.credentials = credentials;
  return authentication;
}

function readUrl(reader: FieldReader): string {
  const url = reader.requiredString('url');
  if (url.length > MAX_URL_LENGTH) reader.fault('url', `must have at most ${MAX_URL_LENGTH} characters`);
  else if (url !== '' && (!/^https?:$/.test(protocolOf(url)) || /\p{Surrogate}/u.test(url))) {
    reader.fault('url', 'must be an absolute http or https URL');
  }
  return url;
}

function readScheme(reader: FieldReader): string {
  const scheme = reader.requiredString('scheme');
  if (scheme !== '' && !AUTH_SCHEME.test(scheme)) {
    reader.fault('scheme', `must be a scheme of HTTP authentication (RFC 9110), of at most ${MAX_SCHEME_LENGTH} characters`);
  }
  return scheme;
}

/** What travels in a header of every notification. */
function readSecret(reader: FieldReader, name: string): string | undefined {
  const secret = reader.string(name);
  if (secret === undefined) return undefined;
  if (secret.length > MAX_SECRET_LENGTH) return reader.fault(name, `must have at most ${MAX_SECRET_LENGTH} characters`);
  if (!HEADER_TEXT.test(secret)) return reader.fault(name, 'must be visible ASCII characters, and spaces only between them');
  return secret;
}

const readConfigName = (reader: FieldReader): GetTaskPushNotificationConfigRequest =>
  withTenant(reader, { taskId: reader.requiredId('taskId'), id: reader.requiredId('id') });

const protocolOf = (url: string): string => parseUrl(url)?.protocol ?? '';
