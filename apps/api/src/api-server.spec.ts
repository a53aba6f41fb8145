import { once } from 'node:events';
import { connect } from 'node:net';
import { UnavailableError } from '#protocol';
import { ApiFixture, agent, frame, sendMessage } from './api-fixture.spec-support.js';
import { ApiServer } from './api-server.js';
import { CheckFailure } from './readiness.js';

describe('the API server', () => {
  it('reports liveness, readiness, and how many workers each agent has', async () => {
    const agents = [
      { ...agent('echo'), workers: 2 },
      { ...agent('idle'), workers: 0 },
    ];
    const api = await ApiFixture.start({ checks: { postgres: async () => undefined }, agents });
    try {
      expect((await api.send('GET', '/livez')).json).toEqual({ status: 'ok' });
      expect((await api.send('GET', '/readyz')).json).toEqual({
        status: 'ok',
        checks: { postgres: 'ok', process: 'ok' },
        agents: { echo: { workers: 2 }, idle: { workers: 0 } },
      });
    } finally {
      await api.stop();
    }
  });

  it('answers 503 and no more than that when a check fails', async () => {
    const checks = {
      postgres: () => Promise.reject(new Error('password "x" of 10.0.0.1')),
      migrations: () => Promise.reject(new CheckFailure('pending: 2')),
    };
    const listAgents = (): Promise<never> => Promise.reject(new Error('password "x" of 10.0.0.1'));
    const api = await ApiFixture.start({ checks, listAgents });
    try {
      const answer = await api.send('GET', '/readyz');
      expect([answer.status, answer.json]).toEqual([
        503,
        { status: 'unavailable', checks: { postgres: 'not reachable', migrations: 'pending: 2', process: 'ok' } },
      ]);
    } finally {
      await api.stop();
    }
  });

  it('shuts down: streams end cleanly, waiting sends get 503 with the task, nothing listens', async () => {
    const api = await ApiFixture.start();
    const ends: (() => void)[] = [];
    const ended = new Promise<void>((resolve) => ends.push(resolve));
    api.handler.answers.subscribeToTask = async () => ({
      close: () => undefined,
      async *[Symbol.asyncIterator]() {
        yield [frame(1)];
        await ended;
      },
    });
    api.handler.answers.sendMessage = async () => {
      await ended;
      throw new UnavailableError('The wait ended', { taskId: 't7' });
    };
    const stream = api.send('GET', '/tasks/t:subscribe', { 'a2a-version': '1.0' });
    const waiting = api.rpc(sendMessage(3));
    const idle = connect(api.port, '127.0.0.1');
    await once(idle, 'connect');
    while (api.handler.calls.length < 2) await new Promise(setImmediate);
    const stopped = api.stop();
    const late = api.rpc(sendMessage(4)).catch((error: NodeJS.ErrnoException) => error.code);
    for (const end of ends) end();
    expect((await stream).body).toBe('id: 1\ndata: {"n":1}\n\n');
    const refused = await waiting;
    expect([refused.status, refused.headers['retry-after'], refused.json.error.data[0].metadata]).toEqual([
      503,
      '1',
      { taskId: 't7' },
    ]);
    // Refused, or reset when the system had taken it before the server could.
    expect(await late).toMatch(/^ECONN(?:REFUSED|RESET)$/);
    await stopped;
    idle.destroy();
  });

  it('is ready without a registry to ask', async () => {
    const api = await ApiFixture.start({ listAgents: () => Promise.reject(new Error('away')) });
    try {
      const answer = await api.send('GET', '/readyz');
      expect([answer.status, answer.json]).toEqual([200, { status: 'ok', checks: { process: 'ok' } }]);
    } finally {
      await api.stop();
    }
  });

  it('starts without a warning of Node or Fastify', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): number => warnings.push(warning);
    process.on('warning', onWarning);
    const api = await ApiFixture.start();
    await api.stop();
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it('says of a host without an address that it could not listen there', async () => {
    const api = await ApiFixture.start();
    await api.stop();
    const other = await ApiServer.create({ bodyLimit: 1024 }, api.parts);
    await expect(other.listen(0, 'no such host')).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:ENOTFOUND|EAI_AGAIN)$/),
      syscall: 'listen',
      address: 'no such host',
    });
    await other.close(0);
  });

  it('rejects a port that is taken', async () => {
    const api = await ApiFixture.start();
    try {
      await expect(api.server.listen(api.port, '127.0.0.1')).rejects.toThrow();
    } finally {
      await api.stop();
    }
  });
});
