import { migrationsDirectory } from '#platform';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';

export interface TestDatabase {
  readonly url: string;
  /** Ends every connection to it, and drops it. */
  drop(): Promise<void>;
}

/** URL of the Postgres that `npm test` runs the suites on. */
export function testPostgresUrl(): string {
  const url = process.env['CHORUS_TEST_DATABASE_URL'];
  if (url === undefined) throw new Error('CHORUS_TEST_DATABASE_URL is not set: run the suites with npm test');
  return url;
}

/** URL of the Redis that `npm test` runs the suites on; undefined when the machine has none. */
export const testRedisUrl = (): string | undefined => process.env['CHORUS_TEST_REDIS_URL'] || undefined;

/**
 * A database of one spec file's own: a clone of a template that is migrated once per server and state of the migrations.
 * `serverUrl` names any database of the server; its user may create databases.
 */
export async function createTestDatabase(serverUrl = testPostgresUrl()): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = new URL(serverUrl);
  await connected(serverUrl, async (client) => {
    const template = await migratedTemplate(client, serverUrl);
    await client.query(`create database ${name} template ${template}`);
  });
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () =>
      connected(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`)).then(() => undefined),
  };
}

const TEMPLATE_LOCK = 5_712_001;

async function migratedTemplate(client: pg.Client, serverUrl: string): Promise<string> {
  const name = `template_${migrationsHash()}`;
  await client.query('select pg_advisory_lock($1)', [TEMPLATE_LOCK]);
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 0) {
      // Under its name only when it is whole: whoever is killed here leaves no half template.
      const draft = `draft_${randomBytes(6).toString('hex')}`;
      await client.query(`create database ${draft}`);
      const url = new URL(serverUrl);
      url.pathname = `/${draft}`;
      // Loaded here, so that specs without a database do not load the adapter.
      const { migrate } = await import('#postgres');
      await migrate(url.href, migrationsDirectory);
      await client.query(`alter database ${draft} rename to ${name}`);
    }
  } finally {
    await client.query('select pg_advisory_unlock($1)', [TEMPLATE_LOCK]);
  }
  return name;
}

function migrationsHash(): string {
  const hash = createHash('sha256');
  for (const entry of readdirSync(migrationsDirectory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isDirectory()) hash.update(entry.name).update(readFileSync(join(migrationsDirectory, entry.name, 'migration.sql')));
  }
  return hash.digest('hex').slice(0, 12);
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
