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

/** The one state whose name changed. */
const stateOf = (state: TaskState): string => (state === 'TASK_STATE_CANCELED' ? 'TASK_STATE_CANCELLED' : state);

function partOf({ text, raw, url, data, metadata, mediaType: mimeType, filename: name }: Part): object {
  if (text !== undefined) return { text, metadata };
  if (raw !== undefined) return { file: { fileWithBytes: raw, mimeType, name }, metadata };
  if (url !== undefined) return { file: { fileWithUri: url, mimeType, name }, metadata };
  const wrapped = wrapData(data as JsonValue, metadata);
  return { data: { data: wrapped.data }, metadata: wrapped.metadata };
}

/** Without `referenceTaskIds`: the package has no such field, and parsers of ProtoJSON refuse what they do not know. */
const messageOf = ({ messageId, contextId, taskId, role, parts, metadata, extensions }: Message): object => ({
  messageId,
  contextId,
  taskId,
  role,
  content: parts.map(partOf),
  metadata,
  extensions,
});

const artifactOf = ({ parts, ...rest }: Artifact): object => ({ ...rest, parts: parts.map(partOf) });

const statusOf = ({ state, message, timestamp }: TaskStatus): object => ({
  state: stateOf(state),
  message: message && messageOf(message),
  timestamp,
});

const taskOf = ({ status, artifacts, history, ...rest }: Task): object => ({
  ...rest,
  status: statusOf(status),
  artifacts: artifacts?.map(artifactOf),
  history: history?.map(messageOf),
});

const statusUpdateOf = ({ status, ...rest }: TaskStatusUpdateEvent, final: boolean): object => ({
  ...rest,
  status: statusOf(status),
  final,
});

const artifactUpdateOf = ({ artifact, ...rest }: TaskArtifactUpdateEvent): object => ({
  ...rest,
  artifact: artifactOf(artifact),
});

function pushConfigOf({ taskId, id, url, token, authentication }: TaskPushNotificationConfig): object {
  const schemes = authentication && { schemes: [authentication.scheme], credentials: authentication.credentials };
  return {
    name: `tasks/${taskId ?? ''}/pushNotificationConfigs/${id ?? ''}`,
    pushNotificationConfig: { id, url, token, authentication: schemes },
  };
}

/** The ProtoJSON of the package `a2a.v1`, with the part metadata and file names that its later releases have. */
export const PROTO_FORM: AnswerForm = Object.freeze({
  task: taskOf,
  message: messageOf,
  sendResponse: ({ task, message }) => (task ? { task: taskOf(task) } : { message: messageOf(message as Message) }),
  streamResponse({ task, message, statusUpdate, artifactUpdate }, final) {
    if (task) return { task: taskOf(task) };
    if (statusUpdate) return { statusUpdate: statusUpdateOf(statusUpdate, final) };
    if (artifactUpdate) return { artifactUpdate: artifactUpdateOf(artifactUpdate) };
    return { message: messageOf(message as Message) };
  },
  pushConfig: pushConfigOf,
  pushConfigs: (configs) => ({ configs: configs.map(pushConfigOf) }),
  deleted: Object.freeze({}),
} satisfies AnswerForm);
