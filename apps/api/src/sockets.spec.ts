import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describeOnLinux, eventually, keepAliveTimers } from '#testing';
import { ApiFixture, frame, sendMessage } from './api-fixture.spec-support.js';

const HEAD = 'Host: x\r\nA2A-Version: 1.0\r\n';
const JSON_HEAD = `${HEAD}Content-Type: application/json\r\n`;

describe('connections', () => {
  let api: ApiFixture;
  let sockets: Socket[] = [];
  beforeAll(async () => {
    api = await ApiFixture.start({ bodyLimit: 10_000_000, stallMs: 200 });
  });
  afterAll(() => api.stop());
  beforeEach(() => {
    api.handler.answers = {};
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    sockets = [];
  });

  async function open(sent: string): Promise<Socket> {
    const socket = connect({ port: api.port, host: '127.0.0.1', allowHalfOpen: true });
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(sent);
    return socket;
  }

  /** All that the server says until it ends the connection. */
  async function heard(socket: Socket): Promise<string> {
    let all = '';
    socket.on('data', (chunk: Buffer) => (all += chunk.toString())).on('error', () => undefined);
    if (!socket.closed) await Promise.race([once(socket, 'close'), once(socket, 'end')]);
    return all;
  }

  const liveConnections = (): Promise<number> =>
    new Promise((resolve, reject) => {
      api.server.httpServer.getConnections((error, count) => (error ? reject(error) : resolve(count)));
    });

  async function untilNoConnection(): Promise<void> {
    while ((await liveConnections()) > 0) await new Promise(setImmediate);
  }

  describeOnLinux('whose clients are silent', () => {
    it('are asked for a sign of life by the kernel, within a minute: one that waits for an answer, and an idle one', async () => {
      api.handler.answers = { sendMessage: () => new Promise<never>(() => undefined) };
      const waiting = JSON.stringify(sendMessage());
      await open(`POST /agents/echo HTTP/1.1\r\n${JSON_HEAD}Content-Length: ${Buffer.byteLength(waiting)}\r\n\r\n${waiting}`);
      await open('');
      const timers = (): (number | undefined)[] => keepAliveTimers({ local: api.port });
      await eventually(() => timers().length === 2 && timers().every((seconds) => seconds !== undefined && seconds <= 60));
    });
  });

  it('ends a connection that did not speak HTTP, though its client keeps it open', async () => {
    await untilNoConnection();
    const socket = await open('NONSENSE\r\n\r\n');
    expect(await heard(socket)).toMatch(/^HTTP\/1\.1 400 /);
    await untilNoConnection();
  });

  it('answers a fault in the body of a request that nothing was answered to yet', async () => {
    const socket = await open(`POST / HTTP/1.1\r\n${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\nno length\r\n`);
    const answer = await heard(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });

  it('never writes into a stream that is under way', async () => {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    api.handler.answers.subscribeToTask = async () => ({
      close: end,
      async *[Symbol.asyncIterator]() {
        yield [frame(1)];
        await ended;
      },
    });
    const socket = await open(`GET /tasks/t:subscribe HTTP/1.1\r\n${HEAD}\r\n`);
    const all = heard(socket);
    await once(socket, 'data');
    socket.write('NONSENSE\r\n\r\n');
    expect((await all).match(/HTTP\/1\.1/g)).toHaveLength(1);
    await ended;
  });

  it('does not let a fault in the next request stand for the answer that is still awaited', async () => {
    let answer = (_: string): void => undefined;
    const answered = new Promise<string>((resolve) => (answer = resolve));
    api.handler.answers.sendMessage = () => answered;
    const body = JSON.stringify(sendMessage());
    const socket = await open(`POST / HTTP/1.1\r\n${JSON_HEAD}Content-Length: ${body.length}\r\n\r\n${body}NONSENSE\r\n\r\n`);
    expect(await heard(socket)).toBe('');
    answer('{}');
  });

  const SIZE = 20_000_000;
  it.each([
    ['with its length', `Content-Length: ${SIZE}\r\n\r\n`, ''],
    ['in chunks', `Transfer-Encoding: chunked\r\n\r\n${SIZE.toString(16)}\r\n`, '\r\n0\r\n\r\n'],
  ])('shows 413 to a client that sends twice the limit %s before it reads', async (_, before, after) => {
    const socket = await open(`POST / HTTP/1.1\r\n${JSON_HEAD}${before}`);
    await new Promise<void>((resolve, reject) => {
      socket.write(`${' '.repeat(SIZE)}${after}`, (error) => (error ? reject(error) : resolve()));
    });
    const [head = '', body = ''] = (await heard(socket)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 413 [^]*connection: close/i);
    expect(JSON.parse(body).error.message).toContain('10000000');
  });

  it('does not read on for ever: a connection ends when its body has been refused and does not end', async () => {
    const socket = await open(`POST / HTTP/1.1\r\n${JSON_HEAD}Transfer-Encoding: chunked\r\n\r\n`);
    const chunk = `${(100_000).toString(16)}\r\n${'x'.repeat(100_000)}\r\n`;
    let sent = 0;
    const closed = heard(socket);
    const pump = (): void => {
      while (!socket.destroyed && socket.write(chunk)) sent += chunk.length;
    };
    socket.on('drain', pump);
    pump();
    expect(await closed).toMatch(/^HTTP\/1\.1 413 /);
    await untilNoConnection();
    expect(sent).toBeLessThan(200_000_000);
  });

  it('gives up an answer that its client does not take', async () => {
    await untilNoConnection();
    api.handler.answers.getTask = async () => `"${'x'.repeat(30_000_000)}"`;
    const socket = await open(`GET /tasks/t HTTP/1.1\r\n${HEAD}\r\n`);
    socket.pause();
    while ((await liveConnections()) === 0) await new Promise(setImmediate);
    await untilNoConnection();
  });

  it('keeps a connection whose client took a large answer, also when the next request comes much later', async () => {
    const size = 8_000_000;
    api.handler.answers.getTask = async () => `"${'x'.repeat(size)}"`;
    const request = `GET /tasks/t HTTP/1.1\r\n${HEAD}\r\n`;
    const socket = await open(request);
    let bytes = 0;
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length));
    while (bytes < size) await once(socket, 'data');
    // The time limit for taking an answer must not go on when it has been taken.
    await new Promise((resolve) => setTimeout(resolve, 400));
    socket.write(request);
    while (bytes < 2 * size) await once(socket, 'data');
  });
});
