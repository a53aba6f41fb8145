import type { Artifact, JsonValue, Message, Part, Struct, TaskState } from '#protocol';
import { TASK_STATE_NUMBERS } from '#protocol';
import { randomUUID } from 'node:crypto';
import type { TaskIdentity } from './status-event.js';

/** An agent yielded what A2A cannot express. The client sees a FAILED task; the message is for the log. */
export class InvalidAgentOutputError extends Error {
  override readonly name = 'InvalidAgentOutputError';
}

/** An agent's event with nothing in it that the proto does not know: official clients parse strictly. */
export type AgentOutput =
  | { readonly kind: 'status'; readonly state: TaskState; readonly message?: Message; readonly metadata?: Struct }
  | {
      readonly kind: 'artifact';
      readonly artifact: Artifact;
      readonly append: boolean;
      readonly lastChunk: boolean;
      readonly metadata?: Struct;
    }
  /** Names no task: while nothing but the message is the answer, there is none that the client could read. */
  | { readonly kind: 'answer'; readonly message: Message }
  | { readonly kind: 'metadata'; readonly metadata: Struct };

/**
 * Checks what an executor yielded, which may be code without types, and copies the fields that the proto knows.
 * Throws InvalidAgentOutputError.
 */
export function readAgentOutput(event: unknown, identity: TaskIdentity): AgentOutput {
  const fields = object(event, 'event');
  const present = ['statusUpdate', 'artifactUpdate', 'message', 'taskMetadata'].filter((key) => fields[key] !== undefined);
  if (present.length !== 1) {
    throw new InvalidAgentOutputError('an event is exactly one of statusUpdate, artifactUpdate, message and taskMetadata');
  }
  if (fields['statusUpdate'] !== undefined) return readStatus(object(fields['statusUpdate'], 'statusUpdate'), identity);
  if (fields['artifactUpdate'] !== undefined) return readArtifactUpdate(object(fields['artifactUpdate'], 'artifactUpdate'));
  if (fields['message'] !== undefined) {
    const { taskId: _, ...message } = readMessage(fields['message'], 'message', identity);
    return { kind: 'answer', message };
  }
  return { kind: 'metadata', metadata: object(fields['taskMetadata'], 'taskMetadata') as Struct };
}

function readStatus(update: Fields, identity: TaskIdentity): AgentOutput {
  const { state, message } = update;
  if (typeof state !== 'string' || !Object.hasOwn(TASK_STATE_NUMBERS, state)) {
    throw new InvalidAgentOutputError(`statusUpdate.state is not a TaskState: ${String(state)}`);
  }
  return {
    kind: 'status',
    state: state as TaskState,
    ...(message == null ? {} : { message: readMessage(message, 'statusUpdate.message', identity) }),
    ...struct(update, 'metadata', 'statusUpdate'),
  };
}

function readArtifactUpdate(update: Fields): AgentOutput {
  const path = 'artifactUpdate.artifact';
  const artifact = object(update['artifact'], path);
  const artifactId = artifact['artifactId'];
  if (typeof artifactId !== 'string' || artifactId === '') throw new InvalidAgentOutputError(`${path}.artifactId is missing`);
  return {
    kind: 'artifact',
    artifact: {
      artifactId,
      ...text(artifact, 'name', path),
      ...text(artifact, 'description', path),
      parts: readParts(artifact['parts'], path),
      ...struct(artifact, 'metadata', path),
      ...texts(artifact, 'extensions', path),
    },
    append: update['append'] === true,
    lastChunk: update['lastChunk'] === true,
    ...struct(update, 'metadata', 'artifactUpdate'),
  };
}

function readMessage(value: unknown, path: string, { taskId, contextId }: TaskIdentity): Message {
  const message = object(value, path);
  return {
    messageId: (text(message, 'messageId', path)['messageId'] as string | undefined) || randomUUID(),
    contextId,
    taskId,
    role: 'ROLE_AGENT',
    parts: readParts(message['parts'], path),
    ...struct(message, 'metadata', path),
    ...texts(message, 'extensions', path),
    ...texts(message, 'referenceTaskIds', path),
  };
}

function readParts(value: unknown, owner: string): Part[] {
  if (!Array.isArray(value) || value.length === 0) throw new InvalidAgentOutputError(`${owner}.parts is empty`);
  return value.map((part: unknown, index) => readPart(part, `${owner}.parts[${index}]`));
}

function readPart(value: unknown, path: string): Part {
  const part = object(value, path);
  const contents = (['text', 'raw', 'url'] as const).filter((key) => part[key] != null);
  // ProtoJSON: null is a value of `data`, and means "absent" everywhere else.
  const hasData = part['data'] !== undefined;
  if (contents.length + (hasData ? 1 : 0) !== 1) {
    throw new InvalidAgentOutputError(`${path} has not exactly one of text, raw, url and data`);
  }
  const [content] = contents;
  return {
    ...(content === undefined ? { data: part['data'] as JsonValue } : text(part, content, path)),
    ...struct(part, 'metadata', path),
    ...text(part, 'filename', path),
    ...text(part, 'mediaType', path),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function object(value: unknown, path: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidAgentOutputError(`${path} is not an object`);
  return value as Fields;
}

function text(fields: Fields, key: string, path: string): { [key: string]: string } {
  const value = fields[key];
  if (value == null) return {};
  if (typeof value !== 'string') throw new InvalidAgentOutputError(`${path}.${key} is not a string`);
  return { [key]: value };
}

function texts(fields: Fields, key: string, path: string): { [key: string]: string[] } {
  const value = fields[key];
  if (value == null) return {};
  if (!Array.isArray(value) || value.some((item) => typeof item !== 'string')) {
    throw new InvalidAgentOutputError(`${path}.${key} is not a list of strings`);
  }
  return value.length === 0 ? {} : { [key]: value as string[] };
}

const struct = (fields: Fields, key: string, path: string): { [key: string]: Struct } =>
  fields[key] == null ? {} : { [key]: object(fields[key], `${path}.${key}`) as Struct };
