import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { testPostgresUrl, workQueueContract } from '#testing';
import { postgresWorkQueue } from './postgres-work-queue.js';

workQueueContract('BullMQ on Postgres', async () => {
  const connectionString = testPostgresUrl();
  const schema = `queue_${randomBytes(4).toString('hex')}`;
  return {
    open: () => postgresWorkQueue({ connectionString, schema, laterMs: 100 }),
    close: async () => {
      const client = new pg.Client({ connectionString });
      await client.connect();
      await client.query(`drop schema if exists ${schema} cascade`);
      await client.end();
    },
  };
});
