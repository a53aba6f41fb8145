import { SILENT } from '#core';
import { logUnhandledRejections } from './unhandled-rejections.js';

it('logs rejections that nobody listens to, until it is undone', () => {
  const logged: unknown[] = [];
  const before = process.listenerCount('unhandledRejection');
  const undo = logUnhandledRejections({ ...SILENT, error: (_message, fields) => logged.push(fields?.err) });
  const listener = process.listeners('unhandledRejection').at(-1);
  const err = new Error('lost');
  listener?.(err, Promise.resolve());
  undo();
  expect(logged).toEqual([err]);
  expect(process.listenerCount('unhandledRejection')).toBe(before);
});
