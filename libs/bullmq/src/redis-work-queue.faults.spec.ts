import type { ExecuteHint, LogFields, Logger } from '#core';
import { SILENT } from '#core';
import { Deferred, describeWithRedis, eventually, Inbox, startRedis, startSilentProxy, type TestServer } from '#testing';
import { Redis } from 'ioredis';
import { jobData } from './execute-job.js';
import { redisWorkQueue } from './redis-work-queue.js';
import type { BullMqWorkQueue } from './bullmq-work-queue.js';

const hint = (taskId: string): ExecuteHint => ({ agentId: 'echo', taskId, turn: 1, epoch: 0 });

describeWithRedis('BullMQ on a Redis that fails', () => {
  let redis: TestServer;
  let producer: BullMqWorkQueue;
  let worker: BullMqWorkQueue;
  let taken: Inbox<string>;

  beforeEach(async () => {
    redis = await startRedis();
    producer = redisWorkQueue({ url: redis.url });
    worker = redisWorkQueue({ url: redis.url });
    taken = new Inbox();
    await worker.consume('echo', 5, async ({ taskId }) => {
      taken.push(taskId);
      return 'done';
    });
    await eventually(() => producer.healthy());
    await producer.enqueue([hint('before')]);
    await taken.first(1);
  });
  afterEach(async () => {
    await Promise.all([producer.close(), worker.close()]);
    await redis.remove();
  });

  /** Rejects within the deadline, give or take a busy machine. */
  const expectRefusal = async (): Promise<void> => {
    const from = performance.now();
    await expect(producer.enqueue([hint('meanwhile')])).rejects.toThrow();
    expect(performance.now() - from).toBeLessThan(900);
  };
  const expectRecovery = async (): Promise<void> => {
    await eventually(() => producer.healthy());
    await eventually(() =>
      producer.enqueue([hint('after')]).then(
        () => true,
        () => false,
      ),
    );
    await eventually(() => taken.items.includes('after'));
  };

  it('refuses hints while it is down, and goes on by itself when it is back', async () => {
    await redis.kill();
    await eventually(async () => !(await producer.healthy()));
    await expectRefusal();
    await redis.start();
    await expectRecovery();
  });

  it('refuses hints while it is frozen, and goes on when it thaws', async () => {
    redis.pause();
    expect(await producer.healthy()).toBe(false);
    await expectRefusal();
    await expectRefusal();
    redis.resume();
    await expectRecovery();
  });

  it('makes its connection anew when it was frozen for long', async () => {
    redis.pause();
    await expectRefusal();
    // Longer than the connection waits for an answer.
    await new Promise((resolve) => setTimeout(resolve, 6000));
    await expectRefusal();
    redis.resume();
    await expectRecovery();
  }, 30_000);

  it('goes on when it was emptied, also under a hint that is being handled', async () => {
    const started = new Deferred();
    const release = new Deferred();
    await worker.consume('slow', 1, async () => {
      started.resolve();
      await release.promise;
      return 'later';
    });
    await producer.enqueue([{ ...hint('slow'), agentId: 'slow' }]);
    await started.promise;
    const client = new Redis(redis.url);
    await client.flushall();
    await client.quit();
    release.resolve();
    await producer.enqueue([hint('emptied')]);
    await taken.first(2);
    await expectRecovery();
  });

  it('notices connections that carry nothing any more and never end', async () => {
    const proxy = await startSilentProxy(redis.url);
    const queue = redisWorkQueue({ url: proxy.through(redis.url), prefix: 'silent' });
    try {
      const arrived = new Inbox<string>();
      await queue.consume('echo', 5, async ({ taskId }) => {
        arrived.push(taskId);
        return 'done';
      });
      await eventually(() => queue.healthy());
      await queue.enqueue([hint('before')]);
      await arrived.first(1);
      proxy.silence();
      await expect(queue.enqueue([hint('lost')])).rejects.toThrow();
      await eventually(
        () =>
          queue.enqueue([hint('after')]).then(
            () => true,
            () => false,
          ),
        15_000,
      );
      await eventually(() => arrived.items.includes('after'), 15_000);
    } finally {
      await queue.close();
      proxy.close();
    }
  }, 60_000);

  it('closes while it is down', async () => {
    await redis.kill();
    const from = performance.now();
    await Promise.all([producer.close(), worker.close()]);
    expect(performance.now() - from).toBeLessThan(6000);
  }, 15_000);

  it('starts without it, and works when it comes', async () => {
    await redis.stop();
    const early = redisWorkQueue({ url: redis.url });
    try {
      await early.consume('early', 1, async ({ taskId }) => {
        taken.push(taskId);
        return 'done';
      });
      await expect(early.enqueue([{ ...hint('early'), agentId: 'early' }])).rejects.toThrow();
      await redis.start();
      await eventually(() => early.healthy());
      await early.enqueue([{ ...hint('early-2'), agentId: 'early' }]);
      await eventually(() => taken.items.includes('early-2'));
    } finally {
      await early.close();
    }
  });
});

describeWithRedis('Jobs that this release did not write', () => {
  let redis: TestServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.remove());

  it('drops a malformed one loudly, puts one of another version back, and goes on', async () => {
    const { Queue } = await import('bullmq');
    const errors = new Inbox<LogFields | undefined>();
    const logger: Logger = { ...SILENT, error: (_, fields) => errors.push(fields) };
    const connection = new Redis(redis.url, { maxRetriesPerRequest: null });
    const queue = new Queue('execute-echo', { connection, prefix: 'chorus' });
    const worker = redisWorkQueue({ url: redis.url, logger });
    const taken = new Inbox<string>();
    try {
      const options = { removeOnComplete: true, removeOnFail: true };
      await queue.add('execute', { v: 1, taskId: 7 }, { ...options, jobId: 'malformed' });
      await queue.add('execute', { v: 2, what: 'ever' }, { ...options, jobId: 'newer' });
      await queue.add('execute', jobData('echo', [hint('good')]), { ...options, jobId: 'good' });
      await worker.consume('echo', 1, async ({ taskId }) => {
        taken.push(taskId);
        return 'done';
      });
      await taken.first(1);
      expect((await errors.first(1))[0]).toMatchObject({ agentId: 'echo', jobId: 'malformed' });
      await eventually(
        async () =>
          JSON.stringify(await queue.getJobCounts('active', 'delayed', 'failed')) === '{"active":0,"delayed":1,"failed":0}',
      );
      expect((await queue.getDelayed()).map(({ id }) => id)).toEqual(['newer']);
    } finally {
      await worker.close();
      await queue.close();
      await connection.quit();
    }
  });
});
