import type { BusMessage, TaskEvent } from '#core';

const VERSION = 1;

/**
 * Sequence, kind, state, turn, whether the event ends it, whether a message's line follows the payload's, and, only when it is
 * so, that the task has no metadata.
 */
type EventHeader = readonly [number, TaskEvent['kind'], TaskEvent['state'], number, 0 | 1, 0 | 1, 1?];

interface Header {
  readonly v: number;
  readonly t: BusMessage['type'];
  readonly id: string;
  /** Of `head`. */
  readonly s?: number;
  /** Of `events`. */
  readonly e?: readonly EventHeader[];
}

/**
 * A bus message as text: one line of JSON, then each event's payload (and message) on a line of its own. Payloads are JSON
 * text already; this way they are neither quoted again nor parsed.
 */
export function encodeMessage(message: BusMessage): string {
  const { type: t, taskId: id } = message;
  if (t === 'cancel' || t === 'push') return JSON.stringify({ v: VERSION, t, id } satisfies Header);
  if (t === 'head') return JSON.stringify({ v: VERSION, t, id, s: message.sequence } satisfies Header);
  const e: EventHeader[] = [];
  const lines: string[] = [];
  for (const { sequence, kind, state, turn, endsTurn, withoutMetadata, payload, message: accepted } of message.events) {
    const ends = endsTurn ? 1 : 0;
    const says = accepted === undefined ? 0 : 1;
    e.push(withoutMetadata ? [sequence, kind, state, turn, ends, says, 1] : [sequence, kind, state, turn, ends, says]);
    lines.push(oneLine(payload));
    if (accepted !== undefined) lines.push(oneLine(accepted));
  }
  return [JSON.stringify({ v: VERSION, t, id, e } satisfies Header), ...lines].join('\n');
}

/** The message of `text`; undefined when another version wrote it. @throws when it is not a bus message at all */
export function decodeMessage(text: string): BusMessage | undefined {
  const lines = text.split('\n');
  const { v, t, id: taskId, s, e } = JSON.parse(lines[0] as string) as Header;
  if (v !== VERSION) return undefined;
  if (t === 'cancel' || t === 'push') return { type: t, taskId };
  if (t === 'head' && s !== undefined) return { type: t, taskId, sequence: s };
  if (t !== 'events' || !e) throw new Error(`A bus message of type ${String(t)} lacks its fields`);
  let next = 1;
  const line = (): string => {
    const text = lines[next];
    if (text === undefined) throw new Error('A bus message ends before its last event');
    next += 1;
    return text;
  };
  const events = e.map(([sequence, kind, state, turn, endsTurn, hasMessage, withoutMetadata]): TaskEvent => {
    const known = { taskId, sequence, kind, state, turn, endsTurn: endsTurn === 1, payload: line() };
    const event: TaskEvent = withoutMetadata === 1 ? { ...known, withoutMetadata: true } : known;
    return hasMessage === 1 ? { ...event, message: line() } : event;
  });
  return { type: 'events', taskId, events };
}

/** Several messages as one text. A message has no empty line: each of its lines is JSON. */
export const joinMessages = (texts: readonly string[]): string => texts.join('\n\n');

/** What `joinMessages` put together. */
export const splitMessages = (text: string): readonly string[] => text.split('\n\n');

/** JSON written by `JSON.stringify` has no raw line break; text from elsewhere may have some between its tokens. */
const oneLine = (json: string): string => (json.includes('\n') ? JSON.stringify(JSON.parse(json)) : json);
