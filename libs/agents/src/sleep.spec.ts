import { AbortedTurn } from '#core';
import { sleep } from './sleep.js';

it('resolves when the time is over', async () => {
  await expect(sleep(1, new AbortController().signal)).resolves.toBeUndefined();
});

it('rejects at once with why the turn was aborted', async () => {
  const controller = new AbortController();
  const sleeping = sleep(60_000, controller.signal);
  controller.abort(new AbortedTurn('canceled'));
  await expect(sleeping).rejects.toMatchObject({ name: 'AbortedTurn', cause: 'canceled' });
});

it('does not begin when the turn is aborted already', async () => {
  const signal = AbortSignal.abort(new AbortedTurn('drain'));
  await expect(sleep(60_000, signal)).rejects.toBeInstanceOf(AbortedTurn);
});

it.each([2 ** 31, 30 * 24 * 3600 * 1000, Number.POSITIVE_INFINITY])('a wait of %d ms does not end at once', async (ms) => {
  const controller = new AbortController();
  const sleeping = sleep(ms, controller.signal);
  setTimeout(() => controller.abort(new AbortedTurn('canceled')), 50);
  await expect(sleeping).rejects.toBeInstanceOf(AbortedTurn);
});
