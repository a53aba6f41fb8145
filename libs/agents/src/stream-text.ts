import type { AgentEvent } from '#core';
import { appendTo, artifact, type ArtifactDescription } from './events.js';
import { text } from './parts.js';

export interface StreamTextOptions {
  /** A piece goes out once it has this many characters; 24 unless given. */
  readonly characters?: number;
  /** It goes out with fewer once the first of them has waited for this long; 100 unless given. */
  readonly milliseconds?: number;
}

const CHARACTERS = 24;
const MILLISECONDS = 100;

/**
 * Streams the deltas of a text, as a model gives them, into one artifact: in pieces of at least `characters`, or of what has come in
 * `milliseconds`, whichever is first, and at the end the whole text as one part, which replaces the pieces. Resolves with the whole:
 * `const answer = yield* streamText('answer', deltas)`. What `deltas` throws goes on to the caller; the pieces sent so far stay.
 */
export async function* streamText(
  what: string | ArtifactDescription,
  deltas: AsyncIterable<string> | Iterable<string>,
  { characters = CHARACTERS, milliseconds = MILLISECONDS }: StreamTextOptions = {},
): AsyncGenerator<AgentEvent, string, undefined> {
  const source = Symbol.asyncIterator in deltas ? deltas[Symbol.asyncIterator]() : deltas[Symbol.iterator]();
  let next: Promise<IteratorResult<string>> | undefined;
  let whole = '';
  let waiting = '';
  let due = 0;
  let ended = false;
  try {
    for (;;) {
      next ??= Promise.resolve(source.next());
      const step = waiting === '' ? await next : await before(due, next);
      if (step) {
        next = undefined;
        if (step.done) break;
        if (waiting === '') due = performance.now() + milliseconds;
        waiting += step.value;
        if (waiting.length < characters && performance.now() < due) continue;
      }
      const piece = sendable(waiting);
      if (piece !== '') yield appendTo(what, text(piece));
      whole += piece;
      waiting = waiting.slice(piece.length);
      due = performance.now() + milliseconds;
    }
    ended = true;
  } catch (error) {
    // The source has thrown: there is nothing to close.
    ended = true;
    throw error;
  } finally {
    if (!ended) {
      next?.catch(() => undefined);
      await source.return?.();
    }
  }
  whole += waiting;
  yield artifact(what, text(whole));
  return whole;
}

/** What `next` resolves with, or undefined when that takes until `due`. */
async function before<T>(due: number, next: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), Math.max(0, due - performance.now()));
  });
  return Promise.race([next, late]).finally(() => clearTimeout(timer));
}

/** Without the first half of a character whose second half has not come: gRPC carries no halves. */
const sendable = (waiting: string): string => (/[\uD800-\uDBFF]$/.test(waiting) ? waiting.slice(0, -1) : waiting);
