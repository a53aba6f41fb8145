import pg from 'pg';
import { startPostgres } from './test-servers.js';

const answers = (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 500, query_timeout: 500 });
  client.on('error', () => undefined);
  return client
    .connect()
    .then(() => client.query('select 1'))
    .then(
      () => true,
      () => false,
    )
    .finally(() => client.end().catch(() => undefined));
};

it('startPostgres gives a server that can be frozen, killed and started again, and leaves nothing', async () => {
  const postgres = await startPostgres();
  try {
    expect(await answers(postgres.url)).toBe(true);
    postgres.pause();
    expect(await answers(postgres.url)).toBe(false);
    postgres.resume();
    expect(await answers(postgres.url)).toBe(true);
    await postgres.kill();
    expect(await answers(postgres.url)).toBe(false);
    await postgres.start();
    expect(await answers(postgres.url)).toBe(true);
  } finally {
    postgres.pause();
    await postgres.remove();
  }
  expect(postgres.pid).toBeUndefined();
});
