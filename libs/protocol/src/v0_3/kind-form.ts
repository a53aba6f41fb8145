import type {
  Artifact,
  JsonValue,
  Message,
  Part,
  Task,
  TaskArtifactUpdateEvent,
  TaskPushNotificationConfig,
  TaskState,
  TaskStatus,
  TaskStatusUpdateEvent,
} from '../types.js';
import { wrapData } from './data-part.js';
import type { AnswerForm } from './form.js';

const STATES: Readonly<Record<TaskState, string>> = Object.freeze({
  TASK_STATE_SUBMITTED: 'submitted',
  TASK_STATE_WORKING: 'working',
  TASK_STATE_COMPLETED: 'completed',
  TASK_STATE_FAILED: 'failed',
  TASK_STATE_CANCELED: 'canceled',
  TASK_STATE_INPUT_REQUIRED: 'input-required',
  TASK_STATE_REJECTED: 'rejected',
  TASK_STATE_AUTH_REQUIRED: 'auth-required',
});

/** The media type and file name of what is no file have no place in 0.3. */
function partOf({ text, raw, url, data, metadata, mediaType: mimeType, filename: name }: Part): object {
  if (text !== undefined) return { kind: 'text', text, metadata };
  if (raw !== undefined) return { kind: 'file', file: { bytes: raw, mimeType, name }, metadata };
  if (url !== undefined) return { kind: 'file', file: { uri: url, mimeType, name }, metadata };
  return { kind: 'data', ...wrapData(data as JsonValue, metadata) };
}

const messageOf = ({ role, parts, ...rest }: Message): object => ({
  kind: 'message',
  role: role === 'ROLE_USER' ? 'user' : 'agent',
  parts: parts.map(partOf),
  ...rest,
});

const artifactOf = ({ parts, ...rest }: Artifact): object => ({ ...rest, parts: parts.map(partOf) });

const statusOf = ({ state, message, timestamp }: TaskStatus): object => ({
  state: STATES[state],
  message: message && messageOf(message),
  timestamp,
});

const taskOf = ({ status, artifacts, history, ...rest }: Task): object => ({
  kind: 'task',
  ...rest,
  status: statusOf(status),
  artifacts: artifacts?.map(artifactOf),
  history: history?.map(messageOf),
});

const statusUpdateOf = ({ status, ...rest }: TaskStatusUpdateEvent, final: boolean): object => ({
  kind: 'status-update',
  ...rest,
  status: statusOf(status),
  final,
});

const artifactUpdateOf = ({ artifact, ...rest }: TaskArtifactUpdateEvent): object => ({
  kind: 'artifact-update',
  ...rest,
  artifact: artifactOf(artifact),
});

/** 0.3 has a list of schemes, 1.0 one; and no tenant. */
function pushConfigOf({ taskId, id, url, token, authentication }: TaskPushNotificationConfig): object {
  const schemes = authentication && { schemes: [authentication.scheme], credentials: authentication.credentials };
  return { taskId, pushNotificationConfig: { id, url, token, authentication: schemes } };
}

/** The JSON of the 0.3 schema: results of JSON-RPC, events of its streams, bodies of push notifications. */
export const KIND_FORM: AnswerForm = Object.freeze({
  task: taskOf,
  message: messageOf,
  sendResponse: ({ task, message }) => (task ? taskOf(task) : messageOf(message as Message)),
  streamResponse({ task, message, statusUpdate, artifactUpdate }, final) {
    if (task) return taskOf(task);
    if (statusUpdate) return statusUpdateOf(statusUpdate, final);
    if (artifactUpdate) return artifactUpdateOf(artifactUpdate);
    return messageOf(message as Message);
  },
  pushConfig: pushConfigOf,
  pushConfigs: (configs) => configs.map(pushConfigOf),
  deleted: null,
} satisfies AnswerForm);
