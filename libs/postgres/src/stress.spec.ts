import { createTestDatabase, type TestDatabase } from '#testing';
import { Life, artifact, contextOf, ending, status, type Stores } from '../../testing/src/contracts/store-fixture.js';
import { Pools } from './pools.js';
import { PostgresAgentRegistry } from './postgres-agent-registry.js';
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
    registry: new PostgresAgentRegistry(pools),
    expireLeases: async () => undefined,
    close: () => pools.close(),
  };
}

describe('recipe 10: overlapping batches of four clients', () => {
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

  it('no deadlock, no gap, nothing after an end, and counters that equal count(*)', async () => {
    const ctx = contextOf('stress');
    const lives = clients.map((stores) => new Life(stores, ctx));
    const ids: string[] = [];
    for (let i = 0; i < TASKS; i += 1) ids.push((await (lives[i % CLIENTS] as Life).accept()).taskId);
    const random = (n: number): number => Math.floor(Math.random() * n);
    const worker = async (life: Life): Promise<void> => {
      for (let round = 0; round < ROUNDS; round += 1) {
        await Promise.all(
          [...ids].sort(() => Math.random() - 0.5).map(async (taskId) => {
            const choice = random(10);
            if (choice < 2) await life.followUp(taskId);
            else if (choice === 2) await life.stores.tasks.cancel(life.ctx, taskId, { force: random(2) === 0 });
            else {
              const claim = await life.tryClaim(taskId);
              if (!claim) return;
              const write = life.append(claim, 1, [status(taskId, 'TASK_STATE_WORKING'), artifact(taskId, 'x')]);
              const stale = life.append({ ...claim, fence: { ...claim.fence, epoch: claim.fence.epoch - 1 } }, 1, [artifact(taskId, 'stale')]);
              expect(await stale).toEqual({ outcome: 'fenced' });
              await write;
              if (choice < 5) await life.stores.turns.release(claim.fence, { recovery: 'retry', maxAttempts: 9 }, ending(taskId), ending(taskId));
              else await life.end(claim, choice < 9 ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_INPUT_REQUIRED', 2);
            }
          }),
        );
        await life.stores.turns.heartbeat(life.worker, ids.map((taskId) => ({ taskId, workerId: life.worker, epoch: random(5) })), 1000);
      }
    };
    await Promise.all(lives.map(worker));

    const { hot } = (clients[0] as Stores & { pools: Pools }).pools;
    const rows = async (text: string) => (await hot.query(text)).rows;
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
    expect(await rows(`select deadlocks::int from pg_stat_database where datname = current_database()`)).toEqual([{ deadlocks: 0 }]);
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
