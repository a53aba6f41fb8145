import { jest } from '@jest/globals';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { TaskReaders } from '#core';
import { loadConfig, type Config } from '#platform';
import { createTestDatabase, type TestDatabase } from '#testing';
import { newApiKey } from '#auth';
import { Pools, PostgresApiKeyStore } from '#postgres';
import { TestProvider } from '../../../libs/auth/src/identity-provider.spec-support.js';
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

  it('lets in with an API key and with a token of the provider, each alone', async () => {
    const provider = await TestProvider.start();
    const { id, key, secretHash } = newApiKey();
    const pools = new Pools({
      connectionString: database.url,
      size: 1,
      listSize: 1,
      statementTimeoutMs: 5000,
      applicationName: 'spec',
      onError: () => undefined,
    });
    const grants = { tenant: 'acme', principal: 'ada', scopes: ['tasks:read'] as const, createdAt: Date.now() };
    await new PostgresApiKeyStore(pools).add({ id, secretHash, ...grants });
    await pools.close();
    const access = { CHORUS_AUTH: 'apikey,jwt', JWT_ISSUER: provider.issuer, JWT_AUDIENCE: 'chorus' };
    const api = await startApi(
      loadConfig({ DATABASE_URL: database.url, PORT: '0', GRPC_PORT: '0', LOG_LEVEL: 'silent', ...access }),
    );
    try {
      const list = async (headers: Record<string, string>): Promise<number> =>
        (await fetch(`http://127.0.0.1:${api.port}/agents/none/tasks`, { headers: { 'a2a-version': '1.0', ...headers } })).status;
      // Whoever is let in hears that there is no such agent.
      expect(await list({ 'x-api-key': key })).toBe(404);
      expect(await list({ authorization: `Bearer ${key}` })).toBe(404);
      expect(await list({ authorization: `Bearer ${await provider.token({})}` })).toBe(404);
      expect(await list({ authorization: `Bearer ${await provider.token({ aud: 'other' })}` })).toBe(401);
      expect(await list({})).toBe(401);
    } finally {
      await api.stop();
      await provider.stop();
    }
  });

  it('does not listen for the network without authentication, unless it is told to', async () => {
    await expect(startApi({ ...config, host: '0.0.0.0' })).rejects.toThrow(/^HOST is 0\.0\.0\.0, which the network reaches/);
    const api = await startApi({ ...config, host: '127.0.0.1', insecure: true });
    await api.stop();
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
