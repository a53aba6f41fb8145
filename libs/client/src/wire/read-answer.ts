import { TASK_STATE_NUMBERS } from '#protocol';
import type {
  Artifact,
  ListTasksResponse,
  Message,
  Part,
  SendMessageResponse,
  StreamResponse,
  Task,
  TaskState,
  TaskStatus,
} from '#protocol';
import { AnswerShapeError, fieldsOf, listOf, struct, text, textOf, texts, type Fields } from './fields.js';

/** What of the shapes differs between the versions. */
export interface Shapes {
  readonly part: (fields: Fields) => Part;
  readonly state: (written: unknown) => unknown;
  /** The list of a message's parts. */
  readonly partsOf: (message: Fields) => unknown;
}

/**
 * Reads what an agent answered. Strangers write it: only what A2A knows is taken over, and what the rest relies on (ids, states, lists of
 * parts) is there or an AnswerShapeError is thrown.
 */
export class AnswerReader {
  constructor(private readonly shapes: Shapes) {}

  task(value: unknown): Task {
    const fields = fieldsOf(value, 'the task');
    const id = textOf(fields, 'id');
    if (id === undefined) throw new AnswerShapeError('the task has no id');
    const artifacts = listOf(fields['artifacts'], (artifact) => this.#artifact(artifact));
    const history = listOf(fields['history'], (message) => this.message(message));
    return {
      id,
      ...text(fields, 'contextId'),
      status: this.#status(fields['status']),
      ...(artifacts.length > 0 ? { artifacts } : {}),
      ...(history.length > 0 ? { history } : {}),
      ...struct(fields),
    };
  }

  message(value: unknown): Message {
    const fields = fieldsOf(value, 'a message');
    const role = fields['role'] === 'ROLE_USER' || fields['role'] === 'user' ? 'ROLE_USER' : 'ROLE_AGENT';
    return {
      messageId: textOf(fields, 'messageId') ?? '',
      ...text(fields, 'contextId'),
      ...text(fields, 'taskId'),
      role,
      parts: this.#parts(this.shapes.partsOf(fields)),
      ...struct(fields),
      ...texts(fields, 'extensions'),
      ...texts(fields, 'referenceTaskIds'),
    };
  }

  sendResponse(value: unknown): SendMessageResponse {
    const { task, message } = fieldsOf(value, 'the answer');
    if (task != null) return { task: this.task(task) };
    if (message != null) return { message: this.message(message) };
    throw new AnswerShapeError('the answer is neither a task nor a message');
  }

  streamResponse(value: unknown): StreamResponse {
    const { task, message, statusUpdate, artifactUpdate } = fieldsOf(value, 'the event');
    if (task != null) return { task: this.task(task) };
    if (message != null) return { message: this.message(message) };
    if (statusUpdate != null) {
      const fields = fieldsOf(statusUpdate, 'statusUpdate');
      return { statusUpdate: { ...this.#ids(fields), status: this.#status(fields['status']), ...struct(fields) } };
    }
    if (artifactUpdate != null) {
      const fields = fieldsOf(artifactUpdate, 'artifactUpdate');
      const artifact = this.#artifact(fields['artifact']);
      const flags = {
        ...(fields['append'] === true ? { append: true } : {}),
        ...(fields['lastChunk'] === true ? { lastChunk: true } : {}),
      };
      return { artifactUpdate: { ...this.#ids(fields), artifact, ...flags, ...struct(fields) } };
    }
    throw new AnswerShapeError('the event is none of task, message, statusUpdate and artifactUpdate');
  }

  list(value: unknown): ListTasksResponse {
    const fields = fieldsOf(value, 'the list');
    const tasks = listOf(fields['tasks'], (task) => this.task(task));
    return {
      tasks,
      nextPageToken: textOf(fields, 'nextPageToken') ?? '',
      pageSize: Number(fields['pageSize'] ?? tasks.length),
      totalSize: Number(fields['totalSize'] ?? tasks.length),
    };
  }

  #ids(fields: Fields): { taskId: string; contextId: string } {
    const taskId = textOf(fields, 'taskId');
    if (taskId === undefined) throw new AnswerShapeError('the event names no task');
    return { taskId, contextId: textOf(fields, 'contextId') ?? '' };
  }

  #status(value: unknown): TaskStatus {
    const fields = fieldsOf(value, 'the status');
    const state = this.shapes.state(fields['state']);
    if (typeof state !== 'string' || !Object.hasOwn(TASK_STATE_NUMBERS, state)) {
      throw new AnswerShapeError(`the state ${JSON.stringify(fields['state'])} is not one of A2A's`);
    }
    const { message } = fields;
    return {
      state: state as TaskState,
      ...(message == null ? {} : { message: this.message(message) }),
      ...text(fields, 'timestamp'),
    };
  }

  #artifact(value: unknown): Artifact {
    const fields = fieldsOf(value, 'an artifact');
    const artifactId = textOf(fields, 'artifactId');
    if (artifactId === undefined) throw new AnswerShapeError('an artifact has no artifactId');
    return {
      artifactId,
      ...text(fields, 'name'),
      ...text(fields, 'description'),
      parts: this.#parts(fields['parts']),
      ...struct(fields),
      ...texts(fields, 'extensions'),
    };
  }

  #parts(value: unknown): Part[] {
    return listOf(value, (part) => this.shapes.part(fieldsOf(part, 'a part')));
  }
}
