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
  const config: TaskPushNotificationConfig = { url: reader.requiredString('url') };
  if (config.url !== '' && !/^https?:$/.test(protocolOf(config.url)))
    reader.fault('url', 'must be an absolute http or https URL');
  const tenant = reader.id('tenant');
  const id = reader.id('id');
  const taskId = reader.id('taskId');
  const token = reader.string('token');
  const authentication = reader.message('authentication');
  if (tenant !== undefined) config.tenant = tenant;
  if (id !== undefined) config.id = id;
  if (taskId !== undefined) config.taskId = taskId;
  if (token !== undefined) config.token = token;
  if (authentication) config.authentication = readAuthentication(authentication);
  return config;
}

function readAuthentication(reader: FieldReader): AuthenticationInfo {
  const authentication: AuthenticationInfo = { scheme: reader.requiredString('scheme') };
  const credentials = reader.string('credentials');
  if (credentials !== undefined) authentication.credentials = credentials;
  return authentication;
}

const readConfigName = (reader: FieldReader): GetTaskPushNotificationConfigRequest =>
  withTenant(reader, { taskId: reader.requiredId('taskId'), id: reader.requiredId('id') });

const protocolOf = (url: string): string => parseUrl(url)?.protocol ?? '';
