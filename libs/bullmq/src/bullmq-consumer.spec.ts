import { SILENT } from '#core';
import { Deferred } from '#testing';
import type { Worker } from 'bullmq';
import { BullMqConsumer } from './bullmq-consumer.js';
import type { QueueServer } from './queue-server.js';

it('a consumer whose worker could not even be made tells of it, and makes another', async () => {
  const running = new Deferred();
  const warned: unknown[] = [];
  const worker = {
    on: () => undefined,
    waitUntilReady: async () => undefined,
    run: async () => running.resolve(),
    pause: async () => undefined,
    close: async () => undefined,
  } as unknown as Worker;
  let tries = 0;
  const server = {
    openWorker: () => {
      tries += 1;
      if (tries === 1) throw new Error('no');
      return { worker, disconnect: () => undefined };
    },
  } as unknown as QueueServer;
  const logger = { ...SILENT, warn: (_: string, fields?: { err?: unknown }) => void warned.push(fields?.err) };
  const consumer = new BullMqConsumer(server, {
    name: 'q',
    agentId: 'a',
    concurrency: 1,
    handler: async () => 'done',
    laterMs: 1,
    putBack: async () => undefined,
    logger,
  });
  await running.promise;
  expect(warned).toEqual([new Error('no')]);
  await consumer.close();
});
