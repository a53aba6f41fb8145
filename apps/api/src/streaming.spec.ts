import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { TaskNotFoundError, UnavailableError } from '#protocol';
import { ApiFixture, frame, framesOf, message, sendMessage } from './api-fixture.spec-support.js';

const V1 = { 'a2a-version': '1.0' };
const STREAM = { jsonrpc: '2.0', id: 7, method: 'SendStreamingMessage', params: { message: message() } };

/** Resolves at the next call of `resolve`. */
function gate(): { open: () => void; opened: Promise<void> } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

describe('Server-Sent Events', () => {
  let api: ApiFixture;
  let sockets: Socket[] = [];
  beforeEach(async () => {
    api = await ApiFixture.start({ keepAliveMs: 20, stallMs: 100 });
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets = [];
    await api.stop();
  });

  /** A client that reads nothing until it is told to. */
  async function open(path: string, extra = ''): Promise<Socket> {
    const socket = connect(api.port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\n${extra}\r\n`);
    return socket;
  }

  it('writes one id and one data line a frame, with LF only', async () => {
    const answer = await api.rpc(STREAM);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    const data = (n: number): string => `id: ${n}\ndata: {"jsonrpc":"2.0","id":7,"result":{"n":${n}}}\n\n`;
    expect(answer.body).toBe(data(1) + data(2) + data(3));
  });

  it('writes the bare StreamResponse over HTTP+JSON, and no id for a frame without a task', async () => {
    api.handler.answers.sendStreamingMessage = async () => framesOf([[frame(0, '{"message":{}}')]]);
    const body = JSON.stringify({ message: message() });
    const answer = await api.send('POST', '/message:stream', { ...V1, 'content-type': 'application/json' }, body);
    expect(answer.body).toBe('data: {"message":{}}\n\n');
  });

  it.each(['GET', 'POST'])('subscribes with %s and passes Last-Event-ID on', async (method) => {
    expect((await api.send(method, '/tasks/a:b:subscribe', { ...V1, 'last-event-id': '17' })).body).toBe(
      'id: 1\ndata: {"n":1}\n\n',
    );
    expect(api.handler.last).toMatchObject({ operation: 'subscribeToTask', request: { id: 'a:b' }, lastEventId: 17 });
    const refused = await api.send(method, '/tasks/t:subscribe', { ...V1, 'last-event-id': 'x' });
    expect([refused.status, refused.json.error.details[0].reason]).toEqual([400, 'INVALID_PARAMS']);
  });

  it('answers an error before the first frame in plain JSON', async () => {
    api.handler.answers.sendStreamingMessage = () => Promise.reject(new TaskNotFoundError('t'));
    const answer = await api.rpc(STREAM);
    expect([answer.status, answer.headers['content-type'], answer.json.error.code]).toEqual([200, 'application/json', -32001]);
  });

  it('tells of an error in mid-stream in the form of each binding', async () => {
    const broken = async () => ({
      close: () => undefined,
      async *[Symbol.asyncIterator]() {
        yield [frame(1)];
        throw new UnavailableError('gone');
      },
    });
    api.handler.answers.sendStreamingMessage = broken;
    api.handler.answers.subscribeToTask = broken;
    const rpc = (await api.rpc(STREAM)).body.split('\n\n');
    expect(JSON.parse((rpc[1] as string).replace('data: ', ''))).toMatchObject({
      id: 7,
      error: { code: -32603, message: 'gone' },
    });
    const rest = (await api.send('GET', '/tasks/t:subscribe', V1)).body.split('\n\n')[1] as string;
    expect(rest).toMatch(/^event: error\ndata: \{"error":\{"code":503,/);
  });

  it('sends the headers before the first frame, and comments while nothing happens', async () => {
    const { open: proceed, opened } = gate();
    api.handler.answers.subscribeToTask = async () => ({
      close: proceed,
      async *[Symbol.asyncIterator]() {
        await opened;
        yield [frame(1)];
      },
    });
    const socket = await open('/tasks/t:subscribe');
    let text = '';
    for await (const chunk of socket) {
      text += String(chunk);
      if (text.includes('\n: keep-alive\n')) proceed();
      if (text.includes('data:')) break;
    }
    expect(text).toMatch(/text\/event-stream[\s\S]*\n: keep-alive\n\n[\s\S]*id: 1\n/);
  });

  it('closes the stream when the client goes away', async () => {
    const { open: onClosed, opened: closed } = gate();
    api.handler.answers.subscribeToTask = async () => ({
      close: onClosed,
      async *[Symbol.asyncIterator]() {
        yield [frame(1)];
        await closed;
      },
    });
    const socket = await open('/tasks/t:subscribe');
    await once(socket, 'data');
    socket.destroy();
    await closed;
  });

  it('pulls nothing for a reader that does not read, and cuts it off without a clean end', async () => {
    const { open: onClosed, opened: closed } = gate();
    const big = `"${'x'.repeat(1_000_000)}"`;
    let pulled = 0;
    api.handler.answers.subscribeToTask = async () => ({
      close: onClosed,
      async *[Symbol.asyncIterator]() {
        for (; pulled < 1000; pulled++) yield [frame(pulled + 1, big)];
      },
    });
    const socket = await open('/tasks/t:subscribe');
    socket.pause();
    await closed;
    expect(pulled).toBeLessThan(50);
    let tail = '';
    socket.on('data', (chunk: Buffer) => (tail = chunk.subarray(-8).toString()));
    socket.resume();
    await once(socket, 'close');
    expect(tail).not.toContain('0\r\n\r\n');
  });

  it('delivers everything to a slow reader that does read', async () => {
    const big = `"${'y'.repeat(500_000)}"`;
    api.handler.answers.subscribeToTask = async () => framesOf(Array.from({ length: 40 }, (_, n) => [frame(n + 1, big)]));
    const socket = await open('/tasks/t:subscribe', 'Connection: close\r\n');
    let bytes = 0;
    let end = '';
    for await (const chunk of socket) {
      bytes += (chunk as Buffer).length;
      end = (chunk as Buffer).subarray(-5).toString();
    }
    expect(bytes).toBeGreaterThan(40 * 500_000);
    expect(end).toBe('0\r\n\r\n');
  });

  it('does not take a reader that is slow with one large frame for one that does not read', async () => {
    await api.stop();
    api = await ApiFixture.start({ stallMs: 500 });
    const size = 24_000_000;
    api.handler.answers.subscribeToTask = async () => framesOf([[frame(1, `"${'z'.repeat(size)}"`)]]);
    const socket = await open('/tasks/t:subscribe', 'Connection: close\r\n');
    let bytes = 0;
    let paused = 0;
    const started = performance.now();
    for await (const chunk of socket) {
      bytes += (chunk as Buffer).length;
      // Takes three times as long as a reader may stand still.
      while (performance.now() - started < (bytes / size) * 1500)
        paused = await new Promise((next) => setTimeout(next, 5, paused + 1));
    }
    expect(bytes).toBeGreaterThan(size);
    expect(paused).toBeGreaterThan(0);
  });

  it('frees the waiter of a blocking send when its client goes away', async () => {
    const { open: onAbort, opened: aborted } = gate();
    const { open: onCall, opened: called } = gate();
    api.handler.answers.sendMessage = (_ctx, _request, signal) =>
      new Promise((_, reject) => {
        onCall();
        signal?.addEventListener('abort', () => (onAbort(), reject(new Error('aborted'))));
      });
    const socket = connect(api.port, '127.0.0.1');
    sockets.push(socket);
    const body = JSON.stringify(sendMessage());
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await called;
    socket.destroy();
    await aborted;
  });
});
