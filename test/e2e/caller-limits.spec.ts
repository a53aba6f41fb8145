import { randomBytes } from 'node:crypto';
import { createKey } from '../support/chorus-command.js';
import { useCluster } from '../support/cluster.js';
import { ask, BINDINGS, type Binding, type EveryBinding } from '../support/every-operation.js';
import { GrpcClient } from '../support/grpc-client.js';

const PRINCIPAL_LIMIT = 30;
const TENANT_LIMIT = 50;
const FAILURES = 20;
/** Long enough that no bucket fills again while a test looks at it. */
const SECONDS = 36_000;

const env = {
  CHORUS_AUTH: 'apikey',
  CHORUS_DEFAULT_AGENT: 'echo',
  PRINCIPAL_RATE_LIMIT: `${PRINCIPAL_LIMIT}:${SECONDS}`,
  TENANT_RATE_LIMIT: `${TENANT_LIMIT}:${SECONDS}`,
  AUTH_FAILURE_LIMIT: `${FAILURES}:${SECONDS}`,
};

const LIMITED: Readonly<Record<Binding, number>> = { JSONRPC: 429, 'HTTP+JSON': 429, GRPC: 8 };

describe.each<[string, { ownRedis?: true; withoutRedis?: true }]>([
  ['on Redis', { ownRedis: true }],
  ['on Postgres alone', { withoutRedis: true }],
])('limits of callers over two replicas, %s', (_where, servers) => {
  const cluster = useCluster({ apis: 2, workers: 1, env, ...servers });
  let targets: EveryBinding[];

  beforeAll(() => {
    targets = [0, 1].map((n) => ({
      url: `${cluster.apiUrl(n)}/agents/echo`,
      grpc: new GrpcClient(cluster.grpcAddress(n), 'echo'),
    }));
  });
  afterAll(() => targets.forEach(({ grpc }) => grpc.close()));

  /** Each test has a tenant of its own. */
  const tenants = new Map<string, string>();
  const keyOf = async (tenant: string, principal: string): Promise<Record<string, string>> => {
    const name = tenants.get(tenant) ?? `${tenant}-${randomBytes(4).toString('hex')}`;
    tenants.set(tenant, name);
    return { 'x-api-key': (await createKey(cluster.databaseUrl, '--tenant', name, '--principal', principal)).key };
  };
  /** So many lists, over both replicas and all bindings in turn; how many were answered. */
  async function admitted(count: number, headers: Record<string, string>): Promise<number> {
    const asked = Array.from({ length: count }, (_, i) => {
      const binding = BINDINGS[i % 3] as Binding;
      return ask(targets[i % 2] as EveryBinding, binding, 'listTasks', { taskId: '', headers }).then(
        ({ status }) => status !== LIMITED[binding],
      );
    });
    return (await Promise.all(asked)).filter(Boolean).length;
  }
  const list = (n: number, headers: Record<string, string>): Promise<Response> =>
    fetch(`${targets[n]!.url}/tasks`, { headers: { 'a2a-version': '1.0', ...headers } });

  it('a principal gets its limit to the request, whichever replica and binding it asks', async () => {
    const ada = await keyOf('one', 'ada');
    expect(await admitted(2 * PRINCIPAL_LIMIT, ada)).toBe(PRINCIPAL_LIMIT);
  });

  it('a tenant gets its own over its principals, and no other tenant is hindered', async () => {
    const [ada, eve] = [await keyOf('two', 'ada'), await keyOf('two', 'eve')];
    const both = await Promise.all([admitted(PRINCIPAL_LIMIT, ada), admitted(PRINCIPAL_LIMIT, eve)]);
    expect(both[0] + both[1]).toBe(TENANT_LIMIT);
    expect(await admitted(3, await keyOf('three', 'ada'))).toBe(3);
  });

  it('says what is left, and when there is more', async () => {
    const headers = await keyOf('four', 'ada');
    const answer = await list(0, headers);
    expect(answer.headers.get('ratelimit-policy')).toBe(
      `"principal";q=${PRINCIPAL_LIMIT};w=${SECONDS}, "tenant";q=${TENANT_LIMIT};w=${SECONDS}`,
    );
    expect(answer.headers.get('ratelimit')).toMatch(
      new RegExp(`^"principal";r=${PRINCIPAL_LIMIT - 1};t=\\d+, "tenant";r=49;t=\\d+$`),
    );
    await admitted(PRINCIPAL_LIMIT, headers);
    const refused = await list(1, headers);
    expect(refused.status).toBe(429);
    const seconds = refused.headers.get('retry-after') as string;
    expect(Number(seconds)).toBeGreaterThan(SECONDS / PRINCIPAL_LIMIT - 60);
    expect(Number(seconds)).toBeLessThanOrEqual(SECONDS / PRINCIPAL_LIMIT);
    expect(refused.headers.get('ratelimit')).toMatch(/^"principal";r=0;t=\d+, /);
    expect(await refused.json()).toEqual({
      error: {
        code: 429,
        status: 'RESOURCE_EXHAUSTED',
        message: `Too many requests of this principal: ${PRINCIPAL_LIMIT} within ${SECONDS} s are permitted`,
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'RATE_LIMITED',
            domain: 'chorus',
            metadata: { retryAfterSeconds: seconds },
          },
          { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` },
        ],
      },
    });
    const byGrpc = await ask(targets[0] as EveryBinding, 'GRPC', 'listTasks', { taskId: '', headers });
    expect(byGrpc.status).toBe(LIMITED.GRPC);
    expect(byGrpc.text).toMatch(/RATE_LIMITED/);
  });

  it('whoever tries keys is refused unseen by every replica; keys that were valid before go on', async () => {
    const known = await keyOf('five', 'ada');
    const unknown = await keyOf('five', 'eve');
    expect((await list(0, known)).status).toBe(200);
    expect((await list(1, known)).status).toBe(200);
    const guess = (): Record<string, string> => ({
      'x-api-key': `chorus_${randomBytes(8).toString('hex')}_${randomBytes(32).toString('base64url')}`,
    });
    const statuses: number[] = [];
    for (let i = 0; i < FAILURES + 10; i += 1) statuses.push((await list(i % 2, guess())).status);
    expect(statuses).toEqual([...new Array<number>(FAILURES).fill(401), ...new Array<number>(10).fill(429)]);
    expect((await list(0, unknown)).status).toBe(429);
    expect((await list(1, unknown)).status).toBe(429);
    expect((await list(0, known)).status).toBe(200);
    expect((await list(1, known)).status).toBe(200);
    // Who shows none guesses nothing.
    expect((await list(0, {})).status).toBe(401);
  });
});

describe('limits of callers when Redis does not answer', () => {
  const cluster = useCluster({ apis: 1, workers: 1, env, ownRedis: true });

  it('nobody is locked out, and nobody gets more than each replica has', async () => {
    const { key } = await createKey(cluster.databaseUrl, '--tenant', 'acme', '--principal', 'ada');
    const list = async (): Promise<number> => {
      const headers = { 'a2a-version': '1.0', 'x-api-key': key };
      return (await fetch(`${cluster.apiUrl(0)}/agents/echo/tasks`, { headers })).status;
    };
    for (let i = 0; i < 10; i += 1) expect(await list()).toBe(200);
    await cluster.pauseRedis();
    const statuses: number[] = [];
    for (let i = 0; i < PRINCIPAL_LIMIT; i += 1) statuses.push(await list());
    expect(statuses.filter((status) => status === 200)).toHaveLength(PRINCIPAL_LIMIT - 10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  });
});
