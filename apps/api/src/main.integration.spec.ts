import { jest } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { TaskReaders } from '#core';
import { loadConfig, type Config } from '#platform';
import { createTestDatabase, type TestDatabase } from '#testing';
import { startApi } from './main.js';

describe('startApi', () => {
  let database: TestDatabase;
  let config: Config;
  beforeAll(async () => {
    database = await createTestDatabase();
    config = loadConfig({ DATABASE_URL: database.url, PORT: '0', GRPC_PORT: '0', LOG_LEVEL: 'silent' });
  });
  afterAll(() => database.drop());
  afterEach(() => jest.restoreAllMocks());

  it('serves, and tells of workers by agent', async () => {
    const api = await startApi(config);
    try {
      const answer = await fetch(`http://127.0.0.1:${api.port}/readyz`);
      expect([answer.status, await answer.json()]).toEqual([
        200,
        { status: 'ok', checks: { postgres: 'ok', migrations: 'ok', process: 'ok' }, agents: {} },
      ]);
    } finally {
      await api.stop();
    }
  });

  it('leaves nothing running when it cannot start, wherever that is found out', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const before = process.listenerCount('unhandledRejection');
    const closed = jest.spyOn(TaskReaders.prototype, 'close');
    const { port } = taken.address() as AddressInfo;
    await expect(startApi({ ...config, bodyLimit: -1 })).rejects.toThrow('bodyLimit');
    expect(closed).toHaveBeenCalledTimes(1);
    await expect(startApi({ ...config, port })).rejects.toMatchObject({ code: 'EADDRINUSE', syscall: 'listen' });
    expect(closed).toHaveBeenCalledTimes(2);
    expect(process.listenerCount('unhandledRejection')).toBe(before);
    taken.close();
  });
});
