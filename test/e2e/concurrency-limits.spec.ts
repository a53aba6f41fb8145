import { randomBytes } from 'node:crypto';
import type { Received } from '../support/a2a-client.js';
import { A2AClient, sendParams } from '../support/a2a-client.js';
import { createKey } from '../support/chorus-command.js';
import { useCluster } from '../support/cluster.js';
import { refusalOf } from '../support/refusal.js';
import { ThreeBindings, type Binding } from '../support/three-bindings.js';

const PRINCIPAL_STREAMS = 6;
const TENANT_STREAMS = 9;
/** How long the places of a replica that was killed may stay taken. */
const FORGOTTEN_MS = 10_000;

const env = {
  CHORUS_AUTH: 'apikey',
  PRINCIPAL_STREAM_LIMIT: String(PRINCIPAL_STREAMS),
  TENANT_STREAM_LIMIT: String(TENANT_STREAMS),
};

interface Caller {
  readonly tenant: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Stream = AsyncGenerator<Received>;

describe.each<[string, { withoutRedis?: true }]>([
  ['on Redis', {}],
  ['on Postgres alone', { withoutRedis: true }],
])('what a caller may have at a time over two replicas, %s', (_where, servers) => {
  const cluster = useCluster({ apis: 2, workers: 1, env, ...servers });
  let replicas: ThreeBindings[];

  beforeAll(async () => {
    // The agent is known; whatever is sent to it waits.
    await cluster.killWorker(0);
    replicas = [0, 1].map((n) => new ThreeBindings({ url: cluster.apiUrl(n), grpcAddress: cluster.grpcAddress(n) }, 'script'));
  });
  afterAll(() => replicas.forEach((replica) => replica.close()));

  const callerIn = async (tenant: string, principal: string): Promise<Caller> => {
    const { key } = await createKey(cluster.databaseUrl, '--tenant', tenant, '--principal', principal);
    return { tenant, headers: { 'x-api-key': key } };
  };
  const newCaller = (): Promise<Caller> => callerIn(`t-${randomBytes(4).toString('hex')}`, 'ada');
  /** Each replica and each binding in turn. */
  const bindingOf = (i: number, replica = i % 2): Binding => replicas[replica]?.all[i % 3] as Binding;
  const tasksOf = async ({ tenant }: Caller): Promise<number> => {
    const [row] = await cluster.sql<{ n: number }>(
      `select count(*)::int as n from task t join task_scope s on s.id = t.scope_id where s.tenant = '${tenant}'`,
    );
    return row?.n ?? 0;
  };

  /** A stream that has begun; undefined when there was one too many. */
  async function begun(stream: Stream): Promise<Stream | undefined> {
    try {
      await stream.next();
      return stream;
    } catch (error) {
      expect(refusalOf(error).message).toMatch(/^Too many streams of this (principal: 6|tenant: 9) at a time are permitted$/);
      return undefined;
    }
  }
  const openOn = (binding: Binding, { headers }: Caller): Promise<Stream | undefined> =>
    begun(binding.frames('sendStreamingMessage', sendParams('complete done'), headers));
  const isThere = (stream: Stream | undefined): stream is Stream => stream !== undefined;
  const closeAll = async (streams: readonly Stream[]): Promise<unknown> =>
    Promise.all(streams.map((stream) => stream.return(undefined)));
  /** As many as there can be, all through one replica. */
  const openAll = async (replica: number, caller: Caller): Promise<Stream[]> => {
    const opened = await Promise.all(Array.from({ length: PRINCIPAL_STREAMS }, (_, i) => openOn(bindingOf(i, replica), caller)));
    expect(opened.every(isThere)).toBe(true);
    return opened.filter(isThere);
  };
  /** How many more there can be, through that replica. */
  async function left(replica: number, caller: Caller): Promise<number> {
    const opened = await Promise.all(Array.from({ length: PRINCIPAL_STREAMS }, (_, i) => openOn(bindingOf(i, replica), caller)));
    await closeAll(opened.filter(isThere));
    return opened.filter(isThere).length;
  }

  it('a burst of three times the limit opens as many streams as it permits, and what is refused has sent nothing', async () => {
    const ada = await newCaller();
    const { id } = await new A2AClient(cluster.apiUrl(0), ada.headers)
      .agent('script')
      .sendForTask('x', { returnImmediately: true });
    const asked = Array.from({ length: 3 * PRINCIPAL_STREAMS }, (_, i) =>
      i % 4 === 0 ? begun(bindingOf(i).frames('subscribeToTask', { id }, ada.headers)) : openOn(bindingOf(i), ada),
    );
    const opened = (await Promise.all(asked))
      .map((stream, i) => ({ stream, sends: i % 4 !== 0 }))
      .filter((o) => isThere(o.stream));
    expect(opened).toHaveLength(PRINCIPAL_STREAMS);
    expect(await tasksOf(ada)).toBe(1 + opened.filter(({ sends }) => sends).length);
    await closeAll(opened.map(({ stream }) => stream as Stream));
  });

  it('the principals of a tenant share its streams', async () => {
    const ada = await newCaller();
    const eve = await callerIn(ada.tenant, 'eve');
    const asked = Array.from({ length: 6 * PRINCIPAL_STREAMS }, (_, i) => openOn(bindingOf(i), i % 3 === 0 ? ada : eve));
    const opened = (await Promise.all(asked)).filter(isThere);
    expect(opened).toHaveLength(TENANT_STREAMS);
    await closeAll(opened);
  });

  it('says in every binding and version which limit that was', async () => {
    const ada = await newCaller();
    const streams = await openAll(0, ada);
    const { error } = (await replicas[1]?.same('sendStreamingMessage', () => sendParams('x'), ada.headers)) as { error: unknown };
    expect(error).toEqual({
      message: 'Too many streams of this principal: 6 at a time are permitted',
      details: expect.arrayContaining([
        expect.objectContaining({ reason: 'RATE_LIMITED', metadata: { limit: 'principal-streams', retryAfterSeconds: '5' } }),
      ]),
    });
    const post = (path: string, body: object, headers: Record<string, string>): Promise<Response> =>
      fetch(`${cluster.apiUrl(1)}/agents/script${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...ada.headers, ...headers },
        body: JSON.stringify(body),
      });
    const refused = await post('/message:stream', sendParams('x'), { 'a2a-version': '1.0' });
    expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('ratelimit-policy')]).toEqual([
      429,
      '5',
      '"principal-streams";q=6;qu="concurrent-requests"',
    ]);
    const message = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'x' }] };
    const old = await post('', { jsonrpc: '2.0', id: 1, method: 'message/stream', params: { message } }, {});
    expect(await old.text()).toMatch(/Too many streams of this principal/);
    await closeAll(streams);
  });

  it('a stream gives its place back when its client leaves, and when its task ends', async () => {
    const ada = await newCaller();
    const streams = await openAll(0, ada);
    expect(await left(1, ada)).toBe(0);
    await closeAll(streams.slice(0, 3));
    await cluster.waitFor(async () => (await left(1, ada)) === 3);
    const client = new A2AClient(cluster.apiUrl(1), ada.headers).agent('script');
    for (const { id } of (await client.list({ status: 'TASK_STATE_SUBMITTED' })).tasks) await client.cancel(id);
    for (const stream of streams.slice(3)) expect((await stream.next()).value.response).toHaveProperty('statusUpdate');
    await cluster.waitFor(async () => (await left(1, ada)) === PRINCIPAL_STREAMS);
  });

  it('a replica that shuts down gives all its places back before it is gone', async () => {
    const ada = await newCaller();
    // Read on: a replica waits for clients that have not read to the end.
    const ended = Promise.all((await openAll(1, ada)).map((stream) => stream.next()));
    await cluster.stopApi(1);
    expect(await left(0, ada)).toBe(PRINCIPAL_STREAMS);
    expect(await ended).toEqual(new Array(PRINCIPAL_STREAMS).fill({ done: true, value: undefined }));
    await cluster.startApi(1);
  });

  it('the places of a replica that was killed come back by themselves', async () => {
    const ada = await newCaller();
    await openAll(1, ada);
    await cluster.killApi(1);
    expect(await left(0, ada)).toBe(0);
    await cluster.waitFor(async () => (await left(0, ada)) === PRINCIPAL_STREAMS, FORGOTTEN_MS);
  });
});
