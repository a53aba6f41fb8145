import { isTerminal, type TaskArtifactUpdateEvent } from '#protocol';
import type { TaskEvent } from '../task/task-event.js';

/** A notification that is owed. */
export interface Owed {
  /** The last event that it tells of. */
  readonly event: TaskEvent;
  /** `event`: as it was recorded. `artifact`: the whole artifact as it stands then, in place of its chunks. */
  readonly shows: 'event' | 'artifact';
}

export interface NotificationPlan {
  readonly owed: readonly Owed[];
  /** Where the cursor may stand once all of `owed` is delivered. */
  readonly passedTo: number;
  /** The last event that was looked at. */
  readonly seen: number;
  /** No event can follow `passedTo`. */
  readonly finished: boolean;
}

/**
 * What a receiver is to be told of. With `everyEvent`: each event. Else what it would act on: statuses that change the state or end a
 * turn, and artifacts when they are whole. The chunks of an artifact that follow each other are one artifact; it is whole at
 * `lastChunk`, or when something else follows it. One that may grow yet stays owed, and what came before is passed over, so that
 * nobody reads it again with each chunk.
 *
 * @param events in order and without a gap. The one at the cursor, if there is one, comes first: it tells the state before.
 */
export function planNotifications(events: readonly TaskEvent[], cursor: number, everyEvent: boolean): NotificationPlan {
  const owed: Owed[] = [];
  let passedTo = cursor;
  for (const [index, event] of events.entries()) {
    if (event.sequence <= cursor) continue;
    if (everyEvent) owed.push({ event, shows: 'event' });
    else if (event.kind === 'artifact') {
      const end = endOfRun(event, events[index + 1]);
      if (end === 'unknown') break;
      if (end) owed.push({ event, shows: 'artifact' });
    } else if (isNews(event, events[index - 1])) owed.push({ event, shows: 'event' });
    passedTo = event.sequence;
  }
  const last = events.findLast(({ sequence }) => sequence === passedTo);
  return {
    owed,
    passedTo,
    seen: Math.max(cursor, events.at(-1)?.sequence ?? 0),
    finished: last !== undefined && isTerminal(last.state),
  };
}

const isNews = ({ state, endsTurn }: TaskEvent, before: TaskEvent | undefined): boolean => endsTurn || state !== before?.state;

function endOfRun(event: TaskEvent, next: TaskEvent | undefined): boolean | 'unknown' {
  const { artifact, lastChunk } = updateOf(event);
  if (lastChunk === true) return true;
  if (next === undefined) return 'unknown';
  return next.kind !== 'artifact' || updateOf(next).artifact.artifactId !== artifact.artifactId;
}

/** The update that an artifact event carries. */
export const updateOf = ({ payload }: TaskEvent): TaskArtifactUpdateEvent =>
  (JSON.parse(payload) as { artifactUpdate: TaskArtifactUpdateEvent }).artifactUpdate;
