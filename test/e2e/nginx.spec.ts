import { connect } from 'node:net';
import { A2AClient, sendParams, stateOf, type Received } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';
import { describeWithNginx, Nginx } from '../support/nginx.js';
import { RestClient } from '../support/rest-client.js';

/** Longer than the pause between two comment lines of a silent stream, and shorter than the silence. nginx's own is 60 s. */
const READ_TIMEOUT_S = 17;
const SILENCE_MS = 19_000;

async function collect(stream: AsyncIterable<Received>): Promise<Received[]> {
  const frames: Received[] = [];
  for await (const frame of stream) frames.push(frame);
  return frames;
}

describeWithNginx('behind nginx', (program) => {
  const cluster = useCluster({ apis: 2, workers: 1 });
  let nginx: Nginx;
  /** Streams of silent agents, which the other tests do not wait for. */
  let silent: Promise<readonly Received[][]>;

  const servers: [string, () => string][] = [
    ['as it is deployed', () => nginx.deployedUrl],
    ['with its default settings', () => nginx.plainUrl],
  ];
  const script = (url: string) => new A2AClient(url).agent('script');

  beforeAll(async () => {
    nginx = await Nginx.before(program, cluster.apiUrls(), READ_TIMEOUT_S);
    const text = `working\nsleep ${SILENCE_MS}\ncomplete done`;
    const rest = new RestClient(`${nginx.plainUrl}/agents/script`);
    silent = Promise.all([
      collect(script(nginx.plainUrl).stream(text)),
      collect(rest.events('POST', '/message:stream', sendParams(text))),
      collect(script(nginx.deployedUrl).stream(text)),
    ]);
    // Looked at in the last test; a failure before that is not one that nobody handles.
    silent.catch(() => undefined);
  }, 60_000);
  afterAll(() => nginx?.stop());

  it.each(servers)('%s: a stream has the bytes that the API wrote', async (_, url) => {
    const { id } = await script(url()).sendForTask('working\nchunks 200 0\nartifact a \u2028 🙂 zoë\ncomplete done');
    const bytes = async (base: string): Promise<string> => {
      const headers = { 'a2a-version': '1.0', 'last-event-id': '1' };
      const response = await fetch(`${base}/agents/script/tasks/${id}:subscribe`, { headers });
      return Buffer.from(await response.arrayBuffer()).toString('base64');
    };
    const direct = await bytes(cluster.apiUrl(0));
    expect(Buffer.from(direct, 'base64').toString()).toContain('🙂 zoë');
    expect(await bytes(url())).toBe(direct);
  });

  it.each(servers)('%s: a frame leaves at once, long before the stream ends', async (_, url) => {
    const stream = script(url()).stream('working\nchunks 3 0\nsleep 60000');
    const frames: Received[] = [];
    // Buffered frames would come when the agent wakes up, after this test's time.
    while (frames.filter(({ response }) => response.artifactUpdate).length < 3)
      frames.push((await stream.next()).value as Received);
    const id = frames[0]?.response.task?.id as string;
    expect(stateOf(await script(cluster.apiUrl(1)).get(id))).toBe('TASK_STATE_WORKING');
    await script(url()).cancel(id);
    frames.push(...(await collect(stream)));
    expect(frames.at(-1)?.response.statusUpdate?.status.state).toBe('TASK_STATE_CANCELED');
    expect(frames.map((frame) => frame.id)).toEqual((await cluster.eventsOf(id)).map(({ sequence }) => sequence));
  });

  it('as it is deployed: the card names the address that the client used', async () => {
    const response = await fetch(`${nginx.deployedUrl}/agents/script/.well-known/agent-card.json`);
    const { supportedInterfaces } = (await response.json()) as { supportedInterfaces: { url: string }[] };
    expect(supportedInterfaces.length).toBeGreaterThan(0);
    for (const { url } of supportedInterfaces) expect(url).toBe(`${nginx.deployedUrl}/agents/script`);
  });

  it.each([
    [400, 'a request with two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n'],
    [400, 'bytes that are no HTTP', 'NONSENSE\r\n\r\n'],
    [400, 'a body whose length is no number', 'POST /agents/script HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n'],
    [404, 'a path of the proxy itself', 'GET /.nginx/503 HTTP/1.1\r\nHost: x\r\n\r\n'],
    [405, 'TRACE', 'TRACE / HTTP/1.1\r\nHost: x\r\n\r\n'],
    [414, 'an address that is too long', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    [431, 'a header that is too large', `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'a'.repeat(20_000)}\r\n\r\n`],
    [501, 'a transfer coding that nobody knows', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: foo\r\n\r\n'],
    [505, 'another version of HTTP', 'GET / HTTP/3.0\r\nHost: x\r\n\r\n'],
  ])('as it is deployed: %i, to %s, is in JSON', async (status, _, request) => {
    const { hostname, port } = new URL(nginx.deployedUrl);
    const socket = connect({ host: hostname, port: Number(port) });
    socket.end(request);
    let answer = '';
    for await (const bytes of socket) answer += String(bytes);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(head).toMatch(/^content-type: application\/json/im);
    expect(JSON.parse(body)).toEqual({ error: { code: status, status: expect.any(String), message: expect.any(String) } });
  });

  it('as it is deployed: what the API refuses passes as the API wrote it', async () => {
    const refused = async (url: string, body: string): Promise<[number, unknown]> => {
      const headers = { 'content-type': 'application/json', 'a2a-version': '1.0' };
      const response = await fetch(`${url}/agents/script/message:send`, { method: 'POST', headers, body });
      return [response.status, await response.json()];
    };
    for (const body of ['{', '{"message":{}}', `"${'x'.repeat(11 * 1024 * 1024)}"`]) {
      const direct = await refused(cluster.apiUrl(0), body);
      expect(direct[0]).toBe(body.length > 100 ? 413 : 400);
      expect(await refused(nginx.deployedUrl, body)).toEqual(direct);
    }
  });

  it('a silence that is longer than the proxy waits does not end a stream', async () => {
    for (const frames of await silent) {
      expect(frames.at(-1)?.response.statusUpdate?.status.state).toBe('TASK_STATE_COMPLETED');
      expect(frames.map(({ id }) => id)).toEqual(frames.map((_, i) => i + 1));
    }
  });

  it('as it is deployed: one API is enough, and without any the answer is 503 in JSON', async () => {
    await cluster.killApi(0);
    for (let i = 0; i < 4; i += 1)
      expect(stateOf(await script(nginx.deployedUrl).sendForTask('complete done'))).toBe('TASK_STATE_COMPLETED');
    await cluster.killApi(1);
    const response = await fetch(`${nginx.deployedUrl}/agents/script/tasks`, { headers: { 'a2a-version': '1.0' } });
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await response.json()).toMatchObject({ error: { code: 503, status: 'UNAVAILABLE' } });
  });
});
