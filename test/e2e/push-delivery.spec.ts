import { A2AClient } from '../support/a2a-client.js';
import { chorus, chorusIn } from '../support/chorus-command.js';
import { useCluster } from '../support/cluster.js';
import { verifyAsDocumented } from '../support/documented-verifier.js';
import { addPushConfigs, configOf, PUSH_ENV } from '../support/push-configs.js';
import { PushReceiver } from '../support/push-receiver.js';

const TIMES = { PUSH_TIMEOUT_MS: '1000', SWEEP_MS: '300', LEASE_MS: '1500', HEARTBEAT_MS: '500' };

describe('push notifications', () => {
  const cluster = useCluster({ apis: 1, workers: 2, env: { ...PUSH_ENV, ...TIMES } });
  let receiver: PushReceiver;
  beforeEach(async () => {
    receiver = await PushReceiver.start();
  });
  afterEach(() => receiver.close());

  const agent = (): A2AClient => new A2AClient(cluster.apiUrl(0)).agent('script');
  const task = async (text: string): Promise<string> => (await agent().sendForTask(text, { returnImmediately: true })).id;
  const finished = (taskId: string): Promise<void> => cluster.waitFor(async () => (await configOf(cluster, taskId)).finished);
  const ledger = (taskId: string) =>
    cluster.sql(
      `select sequence, attempt, outcome, http_status, error from push_delivery where task_id = '${taskId}' order by id`,
    );

  it('tell of a task as it goes on, each with what the configuration says', async () => {
    const taskId = await task('sleep 300\nworking on it\nappend a one\nappend a two\nworking\ncomplete done');
    await addPushConfigs(cluster, [taskId], receiver, { scheme: 'Bearer', secrets: { token: 'tok', credentials: 'cred' } });
    await finished(taskId);
    const bodies = receiver.got.map(({ body }) => JSON.parse(body.toString()));
    expect(bodies.map((body) => body.statusUpdate?.status.state ?? body.artifactUpdate?.artifact.parts)).toEqual([
      ...['TASK_STATE_SUBMITTED', 'TASK_STATE_WORKING', [{ text: 'one' }, { text: 'two' }], 'TASK_STATE_COMPLETED'],
    ]);
    const events = await cluster.eventsOf(taskId);
    expect(bodies.at(-1)).toEqual(JSON.parse(events.at(-1)?.payload ?? ''));
    for (const { headers } of receiver.got) {
      expect(headers).toMatchObject({ authorization: 'Bearer cred', 'x-a2a-notification-token': 'tok' });
      expect(headers['content-type']).toBe('application/a2a+json');
      expect(headers['traceparent']).toContain(taskId.replaceAll('-', ''));
    }
    expect(cluster.logs()).not.toMatch(/\bcred\b|\btok\b/);
  });

  it('can be verified as the documentation says, and nothing else can', async () => {
    const taskId = await task('complete');
    await addPushConfigs(cluster, [taskId], receiver);
    await finished(taskId);
    const addresses = { host: cluster.apiUrl(0), receiver: receiver.url };
    const [first, second] = receiver.got as [(typeof receiver.got)[0], (typeof receiver.got)[0]];
    const ids = [1, 2].map((sequence) => ({ id: `${taskId}.config.${sequence}`, taskId }));
    expect(receiver.got.map(({ headers }) => headers['x-a2a-notification-id'])).toEqual(ids.map(({ id }) => id));
    const changed = { ...first, body: Buffer.concat([first.body, Buffer.from(' ')]) };
    const swapped = { ...first, body: second.body };
    expect(await verifyAsDocumented(addresses, [first, second, changed, swapped])).toEqual([
      ...ids,
      ...[changed, swapped].map(() => ({ error: 'The body is not the one that was signed' })),
    ]);
    const [elsewhere] = await verifyAsDocumented({ ...addresses, receiver: 'https://else.example/' }, [first]);
    expect(elsewhere?.error).toMatch(/aud/);
  });

  it('are tried again, in order, until they are taken', async () => {
    const statuses = [503, 307, 200];
    receiver.answer = (response) => response.writeHead(statuses.shift() ?? 200, { location: receiver.url }).end();
    const taskId = await task('working\ncomplete');
    await addPushConfigs(cluster, [taskId], receiver);
    await finished(taskId);
    expect(receiver.got.map(({ headers }) => Number(headers['x-a2a-notification-id']?.toString().split('.')[2]))).toEqual([
      1, 1, 1, 2, 3,
    ]);
    expect(await ledger(taskId)).toMatchObject([
      { sequence: 1, attempt: 1, outcome: 'failed', http_status: 503 },
      { sequence: 1, attempt: 2, outcome: 'failed', http_status: 307 },
      { sequence: 1, attempt: 3, outcome: 'delivered', http_status: 200 },
      { sequence: 2, attempt: 1 },
      { sequence: 3, attempt: 1 },
    ]);
  });

  it('have the form of 0.3 for a configuration of 0.3', async () => {
    const taskId = await task('artifact a b\ncomplete');
    await addPushConfigs(cluster, [taskId], receiver, { protocolVersion: '0.3' });
    await finished(taskId);
    const last = receiver.got.at(-1);
    expect(last?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(last?.body.toString() ?? '')).toMatchObject({
      ...{ kind: 'task', id: taskId, status: { state: 'completed' }, artifacts: [{ parts: [{ kind: 'text', text: 'b' }] }] },
    });
  });

  it('are sent to no address that is not allowed', async () => {
    const urls = [
      'http://169.254.169.254/latest',
      'http://[::ffff:10.0.0.1]/',
      `http://localhost.:${new URL(receiver.url).port}/`,
    ];
    const taskIds = await Promise.all(urls.map(() => task('complete')));
    for (const [n, url] of urls.entries()) await addPushConfigs(cluster, [taskIds[n] as string], receiver, { url });
    for (const taskId of taskIds) {
      await cluster.waitFor(async () => (await ledger(taskId)).length > 0);
      expect((await ledger(taskId))[0]).toMatchObject({ outcome: 'refused', http_status: null });
    }
    expect(receiver.got).toEqual([]);
  });

  it('whose worker stops, or dies, while a receiver keeps it waiting come from another', async () => {
    for (const end of [cluster.stopWorker, cluster.killWorker]) {
      receiver.got.length = 0;
      receiver.answer = () => undefined;
      const taskId = await task('complete');
      await addPushConfigs(cluster, [taskId], receiver);
      await cluster.waitFor(async () => receiver.got.length > 0);
      const { lease_owner } = await configOf(cluster, taskId);
      const worker = (await cluster.ownedBy(lease_owner ?? '', 0)) ? 0 : 1;
      receiver.answer = (response) => void response.end();
      await end(worker);
      await finished(taskId);
      expect(receiver.firsts().get(taskId)).toEqual([1, 2]);
      await cluster.startWorker(worker);
    }
  });

  it('that were given up are shown to operators, and delivered again when they say so', async () => {
    const run = (...args: string[]) => chorus(cluster.databaseUrl, 'push', ...args);
    const taskId = await task('working\ncomplete');
    await addPushConfigs(cluster, [taskId], receiver);
    await finished(taskId);
    await cluster.sql(
      `update push_config set dead_at = now(), failures = 7, cursor = 2, finished = false where task_id = '${taskId}'`,
    );
    const [shown] = JSON.parse(await run('list', '--dead', '--json'));
    expect(shown).toMatchObject({ taskId, agent: 'script', state: 'dead', delivered: 2, last: 3, failures: 7 });
    expect(await run('list', '--task', taskId)).toMatch(/given up .* after 7 failures/);
    expect(await run('redeliver', '--dead', '--receiver', receiver.origin)).toBe('1 configuration is due now');
    await finished(taskId);
    expect(await run('redeliver', taskId, '--from', '2')).toBe('1 configuration is due now');
    await finished(taskId);
    const delivered = receiver.got.map(({ headers }) => headers['x-a2a-notification-id']?.toString().split('.')[2]);
    expect(delivered).toEqual(['1', '2', '3', '3', '2', '3']);
    expect((await run('deliveries', taskId)).split('\n')).toHaveLength(7);
    expect(JSON.parse(await run('deliveries', taskId, '--json', '--limit', '1'))).toMatchObject([
      { configId: 'config', event: 3, attempt: 1, outcome: 'delivered', httpStatus: 200 },
    ]);
    await expect(run('redeliver')).rejects.toThrow('chorus: Say which: the id of a task, or --dead for all that was given up');
    await expect(run('redeliver', '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b')).rejects.toThrow();
  });

  it('have a key set with the next key and the one before, or after a theft with the next alone', async () => {
    const keyIds = async () => {
      const keySet = (await (await fetch(`${cluster.apiUrl(0)}/.well-known/jwks.json`)).json()) as { keys: { kid: string }[] };
      return keySet.keys.map(({ kid }) => kid);
    };
    const [before] = await keyIds();
    const rotate = (...more: string[]) =>
      chorusIn({ DATABASE_URL: cluster.databaseUrl, ...PUSH_ENV }, 'push', 'rotate-key', ...more);
    const next = await rotate();
    await cluster.waitFor(async () => (await keyIds()).join() === `${next},${before}`);
    const last = await rotate('--now');
    await cluster.waitFor(async () => (await keyIds()).join() === last);
  });
});
