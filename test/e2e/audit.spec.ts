import { OPERATIONS, SCOPES, type OperationName } from '#protocol';
import { A2AClient } from '../support/a2a-client.js';
import { chorus, chorusIn, createKey } from '../support/chorus-command.js';
import { useCluster } from '../support/cluster.js';
import { ask, BINDINGS } from '../support/every-operation.js';
import { GrpcClient } from '../support/grpc-client.js';
import { rowsWith } from '../support/leaks.js';

interface Entry {
  readonly id: number;
  readonly source: string;
  readonly operation: string;
  readonly outcome: string;
  readonly [field: string]: unknown;
}

describe('the audit log', () => {
  const cluster = useCluster({
    apis: 2,
    workers: 1,
    env: { CHORUS_AUTH: 'apikey', CHORUS_DEFAULT_AGENT: 'script', AUTH_FAILURE_LIMIT: 'off', CHORUS_AUDIT: 'all' },
  });
  const entriesOf = async (...args: string[]): Promise<Entry[]> =>
    JSON.parse(await chorus(cluster.databaseUrl, 'audit', '--json', '--limit', '1000', ...args)) as Entry[];
  const keyFor = async (tenant: string, principal: string, ...scopes: string[]): Promise<{ id: string; key: string }> =>
    createKey(cluster.databaseUrl, '--tenant', tenant, '--principal', principal, '--scope', ...scopes);

  it('has every operation of every binding with who, what, whence and the outcome, and no word of what was said', async () => {
    const { id, key } = await keyFor('acme', 'ada', ...SCOPES.filter((scope) => scope !== 'push'));
    const headers = { 'x-api-key': key };
    const target = { url: `${cluster.apiUrl(0)}/agents/script`, grpc: new GrpcClient(cluster.grpcAddress(0), 'script') };
    const tasks = new A2AClient(cluster.apiUrl(0), headers).agent('script');
    const operations = Object.keys(OPERATIONS) as OperationName[];
    const word = 'swordfish-4711';
    for (const binding of BINDINGS) {
      for (const operation of operations) {
        const { id: taskId } = await tasks.sendForTask(`input ${word}`, { metadata: { word } });
        await ask(target, binding, operation, { taskId, headers });
      }
    }
    target.grpc.close();
    const seen = async (): Promise<Entry[]> => entriesOf('--tenant', 'acme', '--principal', 'ada');
    // What was refused like that before, within the minute, is counted until the minute is over.
    const isDenied = (operation: OperationName): boolean => OPERATIONS[operation].scope === 'push';
    const told = BINDINGS.length * (operations.length + operations.filter((name) => !isDenied(name)).length);
    await cluster.waitFor(async () => (await seen()).length >= told + operations.filter(isDenied).length);
    const entries = await seen();
    for (const operation of operations) {
      const { method } = OPERATIONS[operation];
      const own = entries.filter((entry) => entry.operation === method);
      expect([method, own.length > 0]).toEqual([method, true]);
      for (const entry of own) {
        expect(entry).toMatchObject({ source: 'a2a', tenant: 'acme', principal: 'ada', credential: id, agent: 'script' });
        expect(entry['address']).toMatch(/127\.0\.0\.1$/);
        if (isDenied(operation)) expect(entry.outcome).toBe('PERMISSION_DENIED');
      }
    }
    expect((await rowsWith(cluster, word)).filter((row) => row.startsWith('public.audit_event'))).toEqual([]);
    expect(await rowsWith(cluster, key)).toEqual([]);
  });

  it('has what commands change, and what was refused', async () => {
    const { id, key } = await keyFor('umbrella', 'bob', 'tasks:read');
    const bob = new A2AClient(cluster.apiUrl(1), { 'x-api-key': key }).agent('script');
    for (let n = 0; n < 20; n += 1) await expect(bob.sendForTask('complete')).rejects.toThrow();
    await chorus(cluster.databaseUrl, 'keys', 'revoke', id);
    await chorus(cluster.databaseUrl, 'erase', '--tenant', 'umbrella', '--principal', 'bob', '--yes');
    // A process that ends tells what it has counted.
    await cluster.stopApi(1);
    const entries = await entriesOf('--tenant', 'umbrella');
    expect(entries.map(({ operation, outcome, count, subject }) => [operation, outcome, count, subject])).toEqual([
      ['SendMessage', 'PERMISSION_DENIED', 19, undefined],
      ['EraseData', 'OK', 1, 'principal bob'],
      ['RevokeApiKey', 'OK', 1, `key ${id} of principal bob`],
      ['SendMessage', 'PERMISSION_DENIED', 1, undefined],
      ['CreateApiKey', 'OK', 1, `key ${id} of principal bob`],
    ]);
    expect(entries.filter(({ source }) => source === 'command').every(({ principal }) => principal !== 'bob')).toBe(true);
    await cluster.startApi(1);
    expect(await chorus(cluster.databaseUrl, 'audit', '--tenant', 'umbrella', '--operation', 'RevokeApiKey')).toContain(
      `key ${id}`,
    );
    const root = await createKey(cluster.databaseUrl, '--all-tenants', '--principal', 'root', '--scope', 'admin');
    const answer = await fetch(`${cluster.apiUrl(1)}/admin/audit?tenant=umbrella&limit=2`, {
      headers: { 'x-api-key': root.key },
    });
    const page = (await answer.json()) as { entries: Entry[]; before: number };
    expect(page).toEqual({ entries: entries.slice(0, 2), before: entries[1]?.id });
  });

  it('has nothing of commands when it is switched off', async () => {
    const environment = { DATABASE_URL: cluster.databaseUrl, CHORUS_AUDIT: 'off' };
    await chorusIn(environment, 'keys', 'create', '--tenant', 'quiet', '--principal', 'eve');
    expect(await entriesOf('--tenant', 'quiet')).toEqual([]);
  });

  it.each([
    [['--since', 'yesterday'], 'chorus: --since yesterday is not a time'],
    [['--task', 'x'], 'chorus: --task x is not the id of a task'],
    [['--limit', '0'], 'chorus: --limit 0 is not a whole number from 1'],
  ])('%j means nothing', async (args, message) => {
    await expect(chorus(cluster.databaseUrl, 'audit', ...args)).rejects.toThrow(message);
  });
});
