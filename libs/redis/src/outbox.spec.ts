import { Deferred, eventually } from '#testing';
import { splitMessages } from './bus-codec.js';
import { Outbox } from './outbox.js';

function outbox(send?: () => Promise<void>) {
  const sent: (readonly (readonly [string, readonly string[]])[])[] = [];
  const box = new Outbox(async (messages) => {
    sent.push([...messages].map(([channel, text]) => [channel, splitMessages(text)] as const));
    await send?.();
  });
  return { box, sent };
}

describe('Outbox', () => {
  it('sends what comes in one turn together, in order for each channel, and the rest with the next', async () => {
    const { box, sent } = outbox();
    const first = box.add(['a', 'b'], 'one\nline');
    await Promise.resolve();
    await Promise.all([first, box.add(['a'], 'two')]);
    await box.add(['b'], 'three');
    expect(sent).toEqual([
      [
        ['a', ['one\nline', 'two']],
        ['b', ['one\nline']],
      ],
      [['b', ['three']]],
    ]);
  });

  it('tells everyone of a turn that failed, and goes on', async () => {
    let fails = true;
    const { box, sent } = outbox(async () => {
      if (fails) throw new Error('no');
    });
    const both = await Promise.allSettled([box.add(['a'], '1'), box.add(['b'], '2')]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    await box.add(['a'], '3');
    expect(sent).toHaveLength(2);
  });

  it('refuses what is more than 16 MiB, in one turn and with what has no answer yet, and takes more after the answer', async () => {
    const mebibyte = 'x'.repeat(1024 * 1024);
    const answer = new Deferred();
    const { box } = outbox(() => answer.promise);
    const given = Array.from({ length: 8 }, () => box.add(['a', 'b'], mebibyte).catch(() => 'late'));
    await expect(box.add(['a'], 'one more')).rejects.toThrow('Too much waits for Redis');
    // Nobody waits any longer, but the bytes are still here.
    expect(await Promise.all(given)).toEqual(given.map(() => 'late'));
    await expect(box.add(['a'], 'one more')).rejects.toThrow('Too much waits for Redis');
    answer.resolve();
    await answer.promise;
    await eventually(() =>
      box.add(['a'], 'one more').then(
        () => true,
        () => false,
      ),
    );
  });
});
