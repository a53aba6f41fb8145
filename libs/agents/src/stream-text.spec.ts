import type { AgentEvent } from '#core';
import { artifact, appendTo } from './events.js';
import { text } from './parts.js';
import { streamText, type StreamTextOptions } from './stream-text.js';

const FOREVER = { milliseconds: 60_000 };

async function eventsOf(deltas: AsyncIterable<string> | Iterable<string>, options?: StreamTextOptions): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of streamText('a', deltas, options)) events.push(event);
  return events;
}

const textsOf = (events: readonly AgentEvent[]): (string | undefined)[] =>
  events.map((event) => ('artifactUpdate' in event ? event.artifactUpdate.artifact.parts[0]?.text : undefined));

describe('streamText', () => {
  it('sends pieces of 24 characters or more, and the whole text at the end', async () => {
    const deltas = Array.from({ length: 30 }, () => 'ab');
    expect(await eventsOf(deltas, FOREVER)).toEqual([
      appendTo('a', text('ab'.repeat(12))),
      appendTo('a', text('ab'.repeat(12))),
      artifact('a', text('ab'.repeat(30))),
    ]);
  });

  it('sends what there is when its first character has waited long enough', async () => {
    let arrived = (): void => undefined;
    const first = new Promise<void>((resolve) => (arrived = resolve));
    async function* deltas(): AsyncGenerator<string> {
      yield 'a';
      yield 'b';
      // Nothing more comes before the piece is out.
      await first;
      yield 'c';
    }
    const texts: unknown[] = [];
    for await (const event of streamText('a', deltas(), { milliseconds: 20 })) {
      texts.push(...textsOf([event]));
      arrived();
    }
    expect(texts).toEqual(['ab', 'abc']);
  });

  it('has a size of piece that the agent chooses', async () => {
    expect(textsOf(await eventsOf(['ab', 'cd', 'e'], { ...FOREVER, characters: 1 }))).toEqual(['ab', 'cd', 'e', 'abcde']);
  });

  it('sends no half of a character', async () => {
    const [high, low] = ['\uD83D', '\uDE00'];
    const texts = textsOf(await eventsOf(['a', high, low, 'b'], { ...FOREVER, characters: 1 }));
    expect(texts).toEqual(['a', '😀', 'b', 'a😀b']);
  });

  it('leaves an empty artifact of no deltas, and resolves with the whole text', async () => {
    expect(await eventsOf([])).toEqual([artifact('a', text(''))]);
    const stream = streamText('a', ['x', 'y'], FOREVER);
    expect(await stream.next()).toEqual({ done: false, value: artifact('a', text('xy')) });
    expect(await stream.next()).toEqual({ done: true, value: 'xy' });
  });

  it('throws what the deltas throw, and does not close the artifact', async () => {
    async function* deltas(): AsyncGenerator<string> {
      yield 'so far';
      throw new Error('the model went away');
    }
    const seen: AgentEvent[] = [];
    const reading = (async () => {
      for await (const event of streamText('a', deltas(), { ...FOREVER, characters: 1 })) seen.push(event);
    })();
    await expect(reading).rejects.toThrow('the model went away');
    expect(seen).toEqual([appendTo('a', text('so far'))]);
  });

  it('ends the source of a reader that leaves', async () => {
    let closed = false;
    const source: AsyncIterableIterator<string> = {
      [Symbol.asyncIterator]: () => source,
      next: () => Promise.resolve({ done: false, value: 'x' }),
      return: () => {
        closed = true;
        return Promise.resolve({ done: true, value: undefined });
      },
    };
    for await (const event of streamText('a', source, { characters: 1 })) {
      expect(event).toEqual(appendTo('a', text('x')));
      break;
    }
    expect(closed).toBe(true);
  });
});
