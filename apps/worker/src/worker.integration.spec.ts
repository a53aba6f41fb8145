import { postgresWorkQueue, redisWorkQueue } from '#bullmq';
import { ANONYMOUS, type CallContext, type TaskEvent, type WorkQueue } from '#core';
import { loadConfig } from '#platform';
import { Pools, PostgresTaskStore, PostgresTurnStore } from '#postgres';
import { createTestDatabase, type TestDatabase, testRedisUrl } from '#testing';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 as uuid } from 'uuid';
import { type RunningWorker, startWorker } from './main.js';

const agent = (id: string, policy: string, execute: string): string => `import { defineAgent } from 'chorus/agents';
  export default defineAgent({
  id: '${id}', card: { name: '${id}', description: '${id}', version: '1', defaultInputModes: ['text'], defaultOutputModes: ['text'], skills: [{ id: 'a', name: 'A', description: 'A', tags: ['a'] }] },
  ${policy}, async *execute(context) { ${execute} } });`;

const RETRY = "recovery: 'retry', maxAttempts: 3";
const FAIL = "recovery: 'fail', maxAttempts: 1";
const say = (state: string, text: string): string =>
  `yield { statusUpdate: { state: 'TASK_STATE_${state}', message: { parts: [{ text: ${text} }] } } };`;
const SLOW = `${say('WORKING', "'started'")}
  while (context.message.parts[0].text === 'hang' && context.epoch === 1) {
    await new Promise((resolve) => { context.signal.addEventListener('abort', resolve); setTimeout(resolve, 60_000).unref(); });
    context.signal.throwIfAborted();
  }
  ${say('COMPLETED', '`attempt ${context.attempt}, epoch ${context.epoch}`')}`;

const servers: [string, string | undefined][] = [
  ['Postgres alone', undefined],
  ['Postgres and Redis', testRedisUrl()],
];

describe.each(servers.filter(([name, url]) => name === 'Postgres alone' || url !== undefined))(
  'A worker on %s',
  (_, redisUrl) => {
    let database: TestDatabase;
    let agentsDir: string;
    let pools: Pools;
    let tasks: PostgresTaskStore;
    let queue: WorkQueue;
    const running: RunningWorker[] = [];

    beforeAll(async () => {
      database = await createTestDatabase();
      agentsDir = await mkdtemp(join(tmpdir(), 'agents-'));
      await writeFile(join(agentsDir, 'echo.mjs'), agent('echo', RETRY, say('COMPLETED', 'context.message.parts[0].text')));
      await writeFile(join(agentsDir, 'slow.mjs'), agent('slow', RETRY, SLOW));
      await writeFile(join(agentsDir, 'frail.mjs'), agent('frail', FAIL, SLOW));
      const onError = (err: Error): never => {
        throw err;
      };
      pools = new Pools({
        connectionString: database.url,
        size: 2,
        listSize: 1,
        statementTimeoutMs: 5000,
        applicationName: 'spec',
        onError,
      });
      tasks = new PostgresTaskStore(pools);
      queue =
        redisUrl === undefined
          ? postgresWorkQueue({ connectionString: database.url })
          : redisWorkQueue({ url: redisUrl, prefix });
    });

    afterEach(async () => {
      await Promise.all(running.splice(0).map((worker) => worker.stop()));
    });

    afterAll(async () => {
      await queue.close();
      await pools.close();
      await database.drop();
      await rm(agentsDir, { recursive: true });
    });

    const prefix = `test_${randomBytes(6).toString('hex')}`;

    const start = async (env: Record<string, string> = {}): Promise<RunningWorker> => {
      const worker = await startWorker(
        loadConfig({
          ...{ DATABASE_URL: database.url, CHORUS_AGENTS: agentsDir, LOG_LEVEL: 'silent', DRAIN_MS: '0', STOP_MS: '300' },
          ...{
            LEASE_MS: '1500',
            HEARTBEAT_MS: '300',
            SWEEP_MS: '200',
            OUTAGE_MS: '5000',
            CANCEL_GRACE_MS: '2000',
            CANCEL_ANSWER_MS: '1000',
          },
          ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl, REDIS_PREFIX: prefix }),
          ...env,
        }),
      );
      running.push(worker);
      return worker;
    };

    const ctx = (agentId: string): CallContext => ({ tenant: '', principal: ANONYMOUS, agentId, extensions: [] });

    const accept = async (agentId: string, text: string, hints = true): Promise<string> => {
      const [taskId, contextId] = [uuid(), uuid()];
      const message = { messageId: uuid(), role: 'ROLE_USER' as const, parts: [{ text }], taskId, contextId };
      await tasks.acceptNew(ctx(agentId), { taskId, contextId, message, origin: 'spec', listed: true });
      // While Redis connects, the first hint may be refused; the reconciler gives it again.
      if (hints) await queue.enqueue([{ agentId, taskId, turn: 1, epoch: 0 }]).catch(() => undefined);
      return taskId;
    };

    /** The log, once it holds what `has` looks for. */
    const log = async (
      agentId: string,
      taskId: string,
      has: (events: readonly TaskEvent[]) => boolean,
    ): Promise<readonly TaskEvent[]> => {
      for (const start = performance.now(); ;) {
        const events = (await tasks.readEvents(ctx(agentId), taskId, 0, 500)) ?? [];
        if (has(events)) return events;
        if (performance.now() - start > 12_000) throw new Error(`The log stays at ${states(events).join(', ')}`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };

    const ended = (events: readonly TaskEvent[]): boolean => /COMPLETED|FAILED|CANCELED/.test(events.at(-1)?.state ?? '');
    const started = (events: readonly TaskEvent[]): boolean => events.some(({ state }) => state === 'TASK_STATE_WORKING');
    const states = (events: readonly TaskEvent[]): string[] => events.map(({ state }) => state.replace('TASK_STATE_', ''));

    it('runs a task whose hint was lost', async () => {
      const taskId = await accept('echo', 'hello', false);
      await start();
      const events = await log('echo', taskId, ended);
      expect(states(events)).toEqual(['SUBMITTED', 'COMPLETED']);
      expect(events[1]?.payload).toContain('"text":"hello"');
    });

    it('hands a turn back when it is stopped; the next worker starts at once, with the same attempt', async () => {
      const first = await start({ WORKER_ROLES: 'execute,reconcile' });
      const taskId = await accept('slow', 'hang');
      await log('slow', taskId, started);
      await start({ WORKER_ROLES: 'execute' });
      await first.stop();
      const stopped = performance.now();
      const events = await log('slow', taskId, ended);
      expect(performance.now() - stopped).toBeLessThan(1000);
      expect(events.at(-1)?.payload).toContain('attempt 1, epoch 3');
    });

    it('ends a turn of an agent that may not be retried when it is stopped', async () => {
      const worker = await start();
      const taskId = await accept('frail', 'hang');
      await log('frail', taskId, started);
      await worker.stop();
      expect(states(await log('frail', taskId, ended))).toEqual(['SUBMITTED', 'WORKING', 'FAILED']);
    });

    it('takes over from a process that disappeared, as the next attempt', async () => {
      const taskId = await accept('slow', 'hang');
      const turns = new PostgresTurnStore(pools);
      await turns.claim({ taskId, workerId: 'gone', leaseMs: 500, policy: { recovery: 'retry', maxAttempts: 3 }, contract: 1 });
      await start();
      const events = await log('slow', taskId, ended);
      expect(events.at(-1)?.payload).toContain('attempt 2, epoch 3');
    });

    it('cancels a running turn', async () => {
      await start();
      const taskId = await accept('slow', 'hang');
      await log('slow', taskId, started);
      expect(await tasks.cancel(ctx('slow'), taskId, { force: false })).toMatchObject({ outcome: 'requested' });
      const events = await log('slow', taskId, ended);
      expect(states(events)).toEqual(['SUBMITTED', 'WORKING', 'CANCELED']);
    });

    it('refuses to start on a database whose migrations are not those of the code', async () => {
      await pools.lists.query(`update _prisma_migrations set checksum = reverse(checksum)`);
      try {
        await expect(start()).rejects.toThrow(/was changed after it was applied/);
      } finally {
        await pools.lists.query(`update _prisma_migrations set checksum = reverse(checksum)`);
      }
    });

    it('refuses to start without a database', async () => {
      await expect(start({ DATABASE_URL: 'postgres://u:p@127.0.0.1:1/none' })).rejects.toThrow('ECONNREFUSED');
    });

    it('refuses to start on a database that lacks a migration', async () => {
      await pools.lists.query(`alter table _prisma_migrations rename to hidden`);
      try {
        await expect(start()).rejects.toThrow(/^The database lacks the migration .*: run "chorus migrate" first$/);
      } finally {
        await pools.lists.query(`alter table hidden rename to _prisma_migrations`);
      }
    });
  },
);
