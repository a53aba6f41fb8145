import pg from 'pg';
import { createTestDatabase } from './test-database.js';

it('createTestDatabase gives migrated databases that do not see each other', async () => {
  const [a, b] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  const clients = [new pg.Client(a.url), new pg.Client(b.url)] as const;
  for (const client of clients) {
    client.on('error', () => undefined);
    await client.connect();
  }
  await clients[0].query('create table only_here (n int)');
  const { rows } = await clients[1].query("select to_regclass('only_here') as other, to_regclass('task') as task");
  expect(rows).toEqual([{ other: null, task: 'task' }]);
  await Promise.all(clients.map((client) => client.end()));
  await a.drop();
  await b.drop();
  await expect(new pg.Client(a.url).connect()).rejects.toMatchObject({ code: '3D000' });
});
