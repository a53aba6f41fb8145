import { createHash } from 'node:crypto';
import { KIND_FORM, type Task } from '#protocol';
import { FRAME_LIMIT_BYTES, fitFrame } from '../task/fit-frame.js';
import { type Owed, updateOf } from './notification-plan.js';
import type { TaskReplay } from './task-replay.js';

export interface NotificationContent {
  readonly contentType: string;
  readonly body: string;
}

/** Section 4.3.3. */
const A2A_JSON = 'application/a2a+json';
const JSON_TYPE = 'application/json';

/**
 * The body of a notification. A receiver of 1.0 gets the event, as every stream does; one that would be larger than official clients
 * can read is told of by the task, without its largest pieces. A receiver of 0.3 gets the task as it was then. Undefined when the
 * task is gone.
 */
export async function notificationContent(
  { event, shows }: Owed,
  version: '1.0' | '0.3',
  replay: Pick<TaskReplay, 'at'>,
): Promise<NotificationContent | undefined> {
  if (version === '0.3') {
    const task = await replay.at(event.sequence);
    return task && { contentType: JSON_TYPE, body: JSON.stringify(KIND_FORM.task(fitted(task))) };
  }
  const body = shows === 'artifact' ? await wholeArtifact({ event, shows }, replay) : event.payload;
  if (body === undefined) return undefined;
  if (Buffer.byteLength(body) <= FRAME_LIMIT_BYTES) return { contentType: A2A_JSON, body };
  const task = await replay.at(event.sequence);
  return task && { contentType: A2A_JSON, body: `{"task":${fitFrame(task)}}` };
}

const fitted = (task: Task): Task => JSON.parse(fitFrame(task)) as Task;

async function wholeArtifact({ event }: Owed, replay: Pick<TaskReplay, 'at'>): Promise<string | undefined> {
  const { append: _, ...update } = updateOf(event);
  const task = await replay.at(event.sequence);
  const artifact = task?.artifacts?.find(({ artifactId }) => artifactId === update.artifact.artifactId);
  return artifact && JSON.stringify({ artifactUpdate: { ...update, artifact, lastChunk: true } });
}

/** A configuration's id as it is, when it is short and of harmless letters. */
const PLAIN_ID = /^[A-Za-z0-9._~-]{1,64}$/;

/** What a notification is known by, however often it is sent. */
export function notificationId(taskId: string, configId: string, sequence: number): string {
  const config = PLAIN_ID.test(configId) ? configId : createHash('sha256').update(configId).digest('base64url');
  return `${taskId}.${config}.${sequence}`;
}
