import { createTestDatabase, type TestDatabase } from '#testing';
import {
  HEARTBEAT_MS,
  Life,
  artifact,
  contextOf,
  ending,
  status,
  userMessage,
  type Stores,
} from '../../testing/src/contracts/store-fixture.js';
import { Pools } from './pools.js';
import { PostgresAgentMemoryStore } from './postgres-agent-memory-store.js';
import { PostgresAgentRegistry } from './postgres-agent-registry.js';
import { PostgresApiKeyStore } from './postgres-api-key-store.js';
import { PostgresAuditLog } from './postgres-audit-log.js';
import { PostgresErasureStore } from './postgres-erasure-store.js';
import { PostgresNotificationKeyStore } from './postgres-notification-key-store.js';
import { PostgresPushDeliveryStore } from './postgres-push-delivery-store.js';
import { PostgresPushConfigStore } from './postgres-push-config-store.js';
import { PostgresPushLedger } from './postgres-push-ledger.js';
import { PostgresReconcileStore } from './postgres-reconcile-store.js';
import { PostgresTaskStore } from './postgres-task-store.js';
import { PostgresTurnStore } from './postgres-turn-store.js';

const CLIENTS = 4;
const TASKS = 60;
const ROUNDS = 12;

/** Each client has pools and batchers of its own, as a process has. */
function client(database: TestDatabase): Stores & { pools: Pools } {
  const pools = new Pools({
    connectionString: database.url,
    size: 4,
    listSize: 1,
    statementTimeoutMs: 10_000,
    applicationName: 'stress',
    onError: () => undefined,
  });
  return {
    pools,
    tasks: new PostgresTaskStore(pools),
    turns: new PostgresTurnStore(pools),
    reconcile: new PostgresReconcileStore(pools),
    registry: new PostgresAgentRegistry(pools, { heartbeatMs: HEARTBEAT_MS }),
    apiKeys: new PostgresApiKeyStore(pools),
    memory: new PostgresAgentMemoryStore(pools),
    audit: new PostgresAuditLog(pools),
    erasure: new PostgresErasureStore(pools),
    pushes: new PostgresPushDeliveryStore(pools),
    pushConfigs: new PostgresPushConfigStore(pools),
    pushLedger: new PostgresPushLedger(pools),
    notificationKeys: new PostgresNotificationKeyStore(pools),
    addPushConfig: async () => undefined,
    expireLeases: async () => undefined,
    expireKeys: async () => undefined,
    ageWorkers: async () => undefined,
    ageMemories: async () => undefined,
    close: () => pools.close(),
  };
}

const random = (n: number): number => Math.floor(Math.random() * n);
const RETRY_OFTEN = { recovery: 'retry', maxAttempts: 4 } as const;

/** What a client and a worker may do to a task, and what may happen to the worker. */
async function meddle(life: Life, taskId: string): Promise<void> {
  const { tasks, turns } = life.stores;
  const choice = random(12);
  if (choice < 2) await life.followUp(taskId);
  else if (choice === 2) {
    const ctx = { ...life.ctx, idempotencyKey: `key-${random(20)}` };
    await tasks.acceptFollowUp(ctx, { taskId, message: userMessage('keyed'), requestHash: taskId });
  } else if (choice === 3) await tasks.cancel(life.ctx, taskId, { force: random(2) === 0 });
  else {
    const leaseMs = random(3) === 0 ? 1 : 60_000;
    const claim = await turns.claim({ taskId, workerId: life.worker, leaseMs, policy: RETRY_OFTEN, contract: 1 });
    if (!claim || choice === 4) return;
    const write = life.append(claim, 1, [status(taskId, 'TASK_STATE_WORKING'), artifact(taskId, 'x')], { leaseMs });
    const stale = life.append({ ...claim, fence: { ...claim.fence, epoch: claim.fence.epoch - 1 } }, 1, [
      artifact(taskId, 'stale'),
    ]);
    expect(await stale).toEqual({ outcome: 'fenced' });
    await write;
    if (choice === 5) return;
    if (choice < 8) await life.release(claim, { policy: RETRY_OFTEN, countsAttempt: random(2) === 0 });
    else
      await life.end(
        claim,
        choice < 10 ? 'TASK_STATE_COMPLETED' : choice === 10 ? 'TASK_STATE_FAILED' : 'TASK_STATE_INPUT_REQUIRED',
        2,
      );
  }
}

async function sweep(life: Life): Promise<void> {
  const { reconcile } = life.stores;
  await life.reap();
  await reconcile.takePending({ backoffMs: 0, limit: 20 });
  // A young age: tasks go while others write to them.
  await reconcile.purgeTasks(500, 2, 0);
  await reconcile.purgeKeys(10);
  const overdue = await reconcile.overdueCancels(1, 20);
  await reconcile.finishCancels(
    overdue.map((cancel) => ({ cancel, canceled: ending(cancel.taskId) })),
    1,
  );
}

describe('overlapping batches of four clients', () => {
  let database: TestDatabase;
  let clients: (Stores & { pools: Pools })[];
  beforeAll(async () => {
    database = await createTestDatabase();
    clients = Array.from({ length: CLIENTS }, () => client(database));
  });
  afterAll(async () => {
    await Promise.all(clients.map((one) => one.close()));
    await database.drop();
  });

  it('no deadlock, no gap, nothing after an end, turns end once and in order, and counters equal count(*)', async () => {
    const lives = clients.map((stores) => new Life(stores, contextOf('stress')));
    const ids: string[] = [];
    const acceptMore = async (life: Life, count: number): Promise<void> => {
      const accepted = await Promise.all(Array.from({ length: count }, () => life.accept()));
      ids.push(...accepted.map(({ taskId }) => taskId));
    };
    await acceptMore(lives[0] as Life, TASKS);
    const worker = async (life: Life): Promise<void> => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const shuffled = ids.slice(-TASKS).sort(() => Math.random() - 0.5);
        await Promise.all([...shuffled.map((taskId) => meddle(life, taskId)), acceptMore(life, 5), sweep(life)]);
        await life.stores.turns.heartbeat(
          life.worker,
          shuffled.map((taskId) => ({ taskId, workerId: life.worker, epoch: random(5) })),
          1000,
        );
      }
    };
    await Promise.all(lives.map(worker));
    // A backend reports its deadlocks when it goes, at the latest.
    await Promise.all(clients.map((one) => one.close()));
    clients = [client(database)];

    const rows = async (text: string) => ((await clients[0]?.pools.hot.query(text))?.rows ?? []) as unknown[];
    expect(await rows(`select state, sum(n)::int as n from task_count group by state having sum(n) <> 0 order by state`)).toEqual(
      await rows(`select state, count(*)::int as n from task where listed group by state order by state`),
    );
    expect(
      await rows(`select t.id from task t join task_event e on e.task_id = t.id group by t.id, t.sequence
                  having count(*) <> t.sequence or max(e.sequence) <> t.sequence or min(e.sequence) <> 1`),
    ).toEqual([]);
    expect(
      await rows(`select e.task_id from task_event e join task_event later on later.task_id = e.task_id and later.sequence > e.sequence
                  where e.state in (3, 4, 5, 7)`),
    ).toEqual([]);
    expect(await rows(`select id from task where cardinality(inbox) <> accepted - ended`)).toEqual([]);
    expect(
      await rows(`select t.id from task t join lateral (
                    select count(*) filter (where kind = 1) as accepted, array_agg(turn order by sequence) filter (where ends_turn) as ends
                    from task_event e where e.task_id = t.id) log on true
                  where log.accepted <> t.accepted or coalesce(log.ends, '{}') <> array(select generate_series(1, t.ended))`),
    ).toEqual([]);
    expect(await rows(`select id from task where state = 3 and accepted <> ended`)).toEqual([]);
    // Lists are sorted by the column, and go on from the text.
    expect(
      await rows(
        `select id from task where (extract(epoch from (status::json->>'timestamp')::timestamptz) * 1000)::bigint <> status_timestamp`,
      ),
    ).toEqual([]);
    // An agent did say COMPLETED while a message was pending, and what was recorded is the turn's end only.
    expect(await rows(`select task_id from task_event where kind = 2 and ends_turn and state = 2 limit 1`)).toHaveLength(1);
    // The run is worth something only if all of it happened.
    expect((await rows(`select count(distinct state)::int as n from task`))[0]).not.toEqual({ n: 1 });
    expect(await rows(`select id from task where attempt > 0 or lease_epoch > 5 limit 1`)).toHaveLength(1);
    expect(await rows(`select deadlocks::int from pg_stat_database where datname = current_database()`)).toEqual([
      { deadlocks: 0 },
    ]);
  });

  it('I3: SQL refuses to change a terminal task, whoever writes', async () => {
    const { hot } = (clients[0] as Stores & { pools: Pools }).pools;
    const life = new Life(clients[0] as Stores, contextOf('final'));
    const id = await life.completed();
    for (const change of ['state = 2', 'sequence = sequence + 1', `status = '{}'`]) {
      await expect(hot.query(`update task set ${change} where id = '${id}'`)).rejects.toThrow('is in a terminal state');
    }
  });

  it('claims and heartbeats can be HOT updates: no index knows a column that they change', async () => {
    const { hot } = (clients[0] as Stores & { pools: Pools }).pools;
    const { rows } = await hot.query<{ indexdef: string }>(`select indexdef from pg_indexes where tablename = 'task'`);
    expect(rows.length).toBeGreaterThan(3);
    for (const { indexdef } of rows) expect(indexdef).not.toMatch(/lease_|recovery|max_attempts|append_|hint|attempt/);
  });
});
