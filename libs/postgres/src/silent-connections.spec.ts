import { createTestDatabase, eventually, startSilentProxy, type SilentProxy, type TestDatabase } from '#testing';
import { Life, artifact, type Stores } from '../../testing/src/contracts/store-fixture.js';
import { Pools } from './pools.js';
import { PostgresTaskStore } from './postgres-task-store.js';
import { PostgresTurnStore } from './postgres-turn-store.js';

const ANSWER_MS = 600;
const CONNECTIONS = 6;

describe('connections that carry nothing any more and never end', () => {
  let database: TestDatabase;
  let proxy: SilentProxy;
  let pools: Pools;
  let life: Life;
  beforeEach(async () => {
    database = await createTestDatabase();
    proxy = await startSilentProxy(database.url);
    pools = new Pools({
      connectionString: proxy.through(database.url),
      size: CONNECTIONS,
      listSize: 1,
      statementTimeoutMs: 20_000,
      answerMs: ANSWER_MS,
      applicationName: 'spec',
      onError: () => undefined,
    });
    life = new Life({ tasks: new PostgresTaskStore(pools), turns: new PostgresTurnStore(pools) } as unknown as Stores);
    await Promise.all(Array.from({ length: CONNECTIONS }, () => pools.hot.query('select pg_sleep(0.1)')));
    expect(pools.hot.idleCount).toBe(CONNECTIONS);
  });
  afterEach(async () => {
    proxy.close();
    await pools.close();
    await database.drop();
  });

  it('cost one answer: the next renewal goes over a new one', async () => {
    const { fence } = await life.claim((await life.accept()).taskId);
    const beat = () => life.stores.turns.heartbeat(life.worker, [fence], 9000);
    proxy.silence();
    const from = performance.now();
    await expect(beat()).rejects.toMatchObject({ name: 'StoreUnavailableError' });
    expect(await beat()).toEqual([]);
    expect(performance.now() - from).toBeLessThan(2 * ANSWER_MS);
  });

  it('do not stop the appends, claims and accepts that share a statement', async () => {
    const claim = await life.claim((await life.accept()).taskId);
    const { taskId } = await life.accept();
    proxy.silence();
    const first = await Promise.allSettled([
      life.append(claim, 1, [artifact(claim.fence.taskId, 'a')]),
      life.tryClaim(taskId),
      life.accept(),
    ]);
    expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    const from = performance.now();
    // The server may have begun on the first try; it is answered once that is over.
    await eventually(async () => {
      const again = await life.append(claim, 1, [artifact(claim.fence.taskId, 'a')]).catch(() => undefined);
      return again !== undefined && again.outcome !== 'fenced';
    });
    expect(await life.tryClaim(taskId)).toMatchObject({ turn: 1 });
    expect(await life.accept()).toMatchObject({ outcome: 'accepted' });
    expect(performance.now() - from).toBeLessThan(2 * ANSWER_MS);
    expect(await life.log(claim.fence.taskId)).toHaveLength(2);
  });
});
