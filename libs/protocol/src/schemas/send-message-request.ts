import type { SendMessageConfiguration, SendMessageRequest } from '../types.js';
import type { FieldReader } from './field-reader.js';
import { DEFAULT_LIMITS } from './limits.js';
import type { Limits } from './limits.js';
import { readMessage } from './message.js';
import { parseRequest, readHistoryLength } from './parse-request.js';
import { readPushConfig } from './push-config-requests.js';

/**
 * The request of SendMessage and SendStreamingMessage, normalised: camelCase names, padded base64, only fields that are
 * set. Throws InvalidParamsError with one violation per fault.
 */
export function parseSendMessageRequest(input: unknown, limits: Limits = DEFAULT_LIMITS): SendMessageRequest {
  return parseRequest(input, limits, {}, readRequest);
}

function readRequest(reader: FieldReader): SendMessageRequest {
  const request: SendMessageRequest = { message: { messageId: '', role: 'ROLE_USER', parts: [] } };
  const tenant = reader.id('tenant');
  const sent = reader.value('message');
  const message = sent === undefined ? reader.fault('message', 'is required') : reader.message('message', sent);
  if (message) request.message = readMessage(message);
  const configuration = reader.message('configuration');
  const metadata = reader.struct('metadata');
  if (tenant !== undefined) request.tenant = tenant;
  if (configuration) request.configuration = readConfiguration(configuration);
  if (metadata) request.metadata = metadata;
  return request;
}

function readConfiguration(reader: FieldReader): SendMessageConfiguration {
  const configuration: SendMessageConfiguration = {};
  const acceptedOutputModes = reader.strings('acceptedOutputModes');
  const pushConfig = reader.message('taskPushNotificationConfig');
  const historyLength = readHistoryLength(reader);
  const returnImmediately = reader.boolean('returnImmediately');
  if (acceptedOutputModes) configuration.acceptedOutputModes = acceptedOutputModes;
  if (pushConfig) configuration.taskPushNotificationConfig = readPushConfig(pushConfig);
  if (historyLength !== undefined) configuration.historyLength = historyLength;
  if (returnImmediately !== undefined) configuration.returnImmediately = returnImmediately;
  return configuration;
}
