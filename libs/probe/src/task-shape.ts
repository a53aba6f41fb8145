import { randomUUID } from 'node:crypto';
import { at, isObject, listOf, member, type Json, type JsonObject } from './wire/json.js';

export const TERMINAL = ['COMPLETED', 'FAILED', 'CANCELED', 'REJECTED'].map((state) => `TASK_STATE_${state}`);
export const INTERRUPTED = ['TASK_STATE_INPUT_REQUIRED', 'TASK_STATE_AUTH_REQUIRED'];

/** A message of a user with one text part. */
export const userMessage = (text: string, more: JsonObject = {}): JsonObject => ({
  messageId: randomUUID(),
  role: 'ROLE_USER',
  parts: [{ text }],
  ...more,
});

export const stateOf = (task: unknown): string => String(at(task, 'status', 'state') ?? 'no state');
export const isTerminal = (task: unknown): boolean => TERMINAL.includes(stateOf(task));
export const isInterrupted = (task: unknown): boolean => INTERRUPTED.includes(stateOf(task));
export const idOf = (task: unknown): string => String(member(task, 'id') ?? '');

/** The task of a SendMessageResponse or a StreamResponse. */
export const taskOf = (response: unknown): JsonObject | undefined => {
  const task = member(response, 'task');
  return isObject(task) ? task : undefined;
};

/** The state that a stream's event carries: that of a Task or of a status update. */
export const stateOfFrame = (value: unknown): string | undefined => {
  const status = at(value, 'task', 'status', 'state') ?? at(value, 'statusUpdate', 'status', 'state');
  return typeof status === 'string' ? status : undefined;
};

/** The artifacts that a stream's events add up to: a Task replaces all, an update replaces or appends (section 4.2.2). */
export function foldArtifacts(values: readonly Json[]): JsonObject[] {
  let artifacts: JsonObject[] = [];
  for (const value of values) {
    const task = taskOf(value);
    if (task) artifacts = listOf(task['artifacts']).filter(isObject);
    const update = member(value, 'artifactUpdate');
    const artifact = member(update, 'artifact');
    if (!isObject(artifact)) continue;
    const found = artifacts.findIndex((one) => one['artifactId'] === artifact['artifactId']);
    const earlier = artifacts[found];
    if (!earlier) artifacts = [...artifacts, artifact];
    else if (member(update, 'append') === true)
      artifacts = artifacts.with(found, { ...earlier, parts: [...listOf(earlier['parts']), ...listOf(artifact['parts'])] });
    else artifacts = artifacts.with(found, artifact);
  }
  return artifacts;
}

/**
 * What a client sees of artifacts: their ids in order, and all their text. Parts may be joined between a stream and the task, so texts
 * are compared as one.
 */
export const artifactTexts = (artifacts: readonly unknown[]): JsonObject[] =>
  artifacts.map((artifact) => ({
    artifactId: member(artifact, 'artifactId'),
    text: listOf(member(artifact, 'parts'))
      .map((part) => member(part, 'text') ?? '')
      .join(''),
    others: listOf(member(artifact, 'parts')).filter((part) => member(part, 'text') === undefined),
  }));
