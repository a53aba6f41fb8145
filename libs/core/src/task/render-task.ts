import type { Artifact, Message, Struct, Task, TaskStatus, WireText } from '#protocol';
import type { TaskContent } from '../ports/task-store.js';
import { foldEvents, parseEvent } from './task-fold.js';

export interface TaskView {
  /** Section 3.2.4: absent = all, 0 = no field, n = the last n. */
  readonly historyLength?: number;
  /** False leaves the field out; it is there otherwise, when there are any. */
  readonly artifacts: boolean;
}

/** The stored task as ProtoJSON text. A task whose snapshot is current is copied, not parsed. */
export function renderTask(stored: TaskContent, view: TaskView): WireText<Task> {
  if (stored.events.length > 0) return JSON.stringify(viewOf(foldStored(stored), view));
  const { taskId, contextId, status, metadata } = stored;
  let text = `{"id":${JSON.stringify(taskId)},"contextId":${JSON.stringify(contextId)},"status":${status}`;
  if (view.artifacts && !isEmptyList(stored.artifacts)) text += `,"artifacts":${stored.artifacts}`;
  const history = lastOf(stored.history, view.historyLength);
  if (!isEmptyList(history)) text += `,"history":${history}`;
  if (metadata !== undefined) text += `,"metadata":${metadata}`;
  return `${text}}`;
}

/** The stored task as an object: its snapshot and the events after it. */
export function foldStored(stored: TaskContent): Task {
  const { taskId, contextId, status, metadata } = stored;
  const base: Task = {
    id: taskId,
    contextId,
    status: JSON.parse(status) as TaskStatus,
    ...(isEmptyList(stored.artifacts) ? {} : { artifacts: JSON.parse(stored.artifacts as string) as Artifact[] }),
    ...(isEmptyList(stored.history) ? {} : { history: JSON.parse(stored.history as string) as Message[] }),
    ...(metadata === undefined ? {} : { metadata: JSON.parse(metadata) as Struct }),
  };
  return foldEvents(base, stored.events.map(parseEvent));
}

/** `task` with as much history and as many artifacts as `view` asks for. */
export function viewOf(task: Task, view: TaskView): Task {
  const { artifacts, history, ...rest } = task;
  const shown =
    view.historyLength === undefined ? history : view.historyLength === 0 ? undefined : history?.slice(-view.historyLength);
  return {
    ...rest,
    ...(view.artifacts && artifacts && artifacts.length > 0 ? { artifacts } : {}),
    ...(shown && shown.length > 0 ? { history: shown } : {}),
  };
}

const isEmptyList = (text: string | undefined): boolean => text === undefined || text === '[]';

function lastOf(history: string | undefined, length: number | undefined): string | undefined {
  if (history === undefined || length === undefined) return history;
  if (length === 0) return undefined;
  const messages = JSON.parse(history) as Message[];
  return messages.length <= length ? history : JSON.stringify(messages.slice(-length));
}
