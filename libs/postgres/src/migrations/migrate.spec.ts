import { createTestDatabase, eventually, type TestDatabase } from '#testing';
import { migrationsDirectory } from '#platform';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { BrokenMigrationError, NewerDatabaseError, migrate, migrationStatus } from './migrate.js';

describe('migrations', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  let directory: string;
  beforeEach(async () => {
    database = await createTestDatabase();
    pool = new pg.Pool({ connectionString: database.url });
    // A connection may still be closing when its database is dropped.
    pool.on('error', () => undefined);
    directory = await mkdtemp(join(tmpdir(), 'migrations-'));
    await cp(migrationsDirectory, directory, { recursive: true });
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
    await rm(directory, { recursive: true });
  });

  const add = async (name: string, sql: string) => {
    await mkdir(join(directory, name));
    await writeFile(join(directory, name, 'migration.sql'), sql);
  };

  it('are recorded in the form that prisma migrate status reads: every row', async () => {
    const { rows } = await pool.query('select * from _prisma_migrations order by migration_name');
    const folders = (await readdir(directory, { withFileTypes: true })).filter((entry) => entry.isDirectory());
    expect(rows.map(({ migration_name }) => migration_name)).toEqual(folders.map(({ name }) => name).sort());
    for (const row of rows) {
      const file = await readFile(join(directory, row.migration_name, 'migration.sql'));
      expect(row).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        // Of the file's bytes, in lower-case hex.
        checksum: createHash('sha256').update(file).digest('hex'),
        migration_name: row.migration_name,
        started_at: expect.any(Date),
        finished_at: expect.any(Date),
        rolled_back_at: null,
        logs: null,
        applied_steps_count: 1,
      });
      expect(row.finished_at.getTime()).toBeGreaterThanOrEqual(row.started_at.getTime());
    }
    expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  });

  it('have the table that Prisma would have made, and the lock file that it asks for', async () => {
    const { rows } = await pool.query(
      `select column_name, data_type, character_maximum_length as length, is_nullable, column_default
       from information_schema.columns where table_name = '_prisma_migrations' order by ordinal_position`,
    );
    expect(rows.map(Object.values)).toEqual([
      ['id', 'character varying', 36, 'NO', null],
      ['checksum', 'character varying', 64, 'NO', null],
      ['finished_at', 'timestamp with time zone', null, 'YES', null],
      ['migration_name', 'character varying', 255, 'NO', null],
      ['logs', 'text', null, 'YES', null],
      ['rolled_back_at', 'timestamp with time zone', null, 'YES', null],
      ['started_at', 'timestamp with time zone', null, 'NO', 'now()'],
      ['applied_steps_count', 'integer', null, 'NO', '0'],
    ]);
    const { rows: keys } = await pool.query(
      `select pg_get_constraintdef(oid) as key from pg_constraint where conrelid = '_prisma_migrations'::regclass and contype = 'p'`,
    );
    expect(keys).toEqual([{ key: 'PRIMARY KEY (id)' }]);
    expect(await readFile(join(directory, 'migration_lock.toml'), 'utf8')).toMatch(/^provider = "postgresql"$/m);
  });

  it('are applied once, also by five processes at a time', async () => {
    await add('99990101000000_more', 'create table more (id int)');
    const results = await Promise.all(Array.from({ length: 5 }, () => migrate(database.url, directory)));
    expect(results.flatMap(({ applied }) => applied)).toEqual(['99990101000000_more']);
    expect(await migrationStatus(pool, directory)).toMatchObject({ pending: [], unknown: [] });
  });

  it('a failing one leaves nothing behind', async () => {
    await add('99990101000000_bad', 'create table half (id int); select 1 / 0');
    await expect(migrate(database.url, directory)).rejects.toThrow('division by zero');
    expect((await pool.query(`select to_regclass('half') as there`)).rows).toEqual([{ there: null }]);
    expect(await migrationStatus(pool, directory)).toMatchObject({ pending: ['99990101000000_bad'] });
  });

  it('a database newer than the code is refused, and so is a file that was changed', async () => {
    await add('99990101000000_newer', 'create table newer (id int)');
    await migrate(database.url, directory);
    await expect(migrate(database.url, migrationsDirectory)).rejects.toThrow(NewerDatabaseError);
    await writeFile(join(directory, '99990101000000_newer', 'migration.sql'), 'select 1');
    await expect(migrate(database.url, directory)).rejects.toThrow(BrokenMigrationError);
  });

  it('a connection that is lost while another process migrates rejects, and ends nothing else', async () => {
    const other = await pool.connect();
    await other.query('select pg_advisory_lock(72707369)');
    const waiting = migrate(database.url, directory).catch((error: Error) => error.message);
    const waits = `select pid from pg_stat_activity where application_name = 'chorus migrate' and datname = current_database() and wait_event = 'advisory'`;
    await eventually(async () => (await other.query(waits)).rowCount === 1);
    await other.query(`select pg_terminate_backend(pid) from (${waits}) waiting`);
    expect(await waiting).toMatch(/terminat/);
    other.release(true);
  });

  it('a database that does not answer is told from one that does not fit', async () => {
    const nowhere = new pg.Pool({ connectionString: 'postgres://nobody@127.0.0.1:1/none' });
    await expect(migrationStatus(nowhere, directory)).rejects.toMatchObject({ name: 'StoreUnavailableError' });
    await nowhere.end();
    await pool.query(`update _prisma_migrations set checksum = 'other'`);
    await expect(migrationStatus(pool, directory)).rejects.toThrow(BrokenMigrationError);
  });

  it('schema.prisma names every table and column of a migrated database, and no other', async () => {
    const { rows } = await pool.query<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = 'public' and table_name <> '_prisma_migrations' order by 1`,
    );
    const schema = await readFile(join(migrationsDirectory, '..', 'schema.prisma'), 'utf8');
    const named = [...schema.matchAll(/^model \w+ \{(.*?)^\}/gms)].flatMap(([, body = '']) => {
      const table = /@@map\("(\w+)"\)/.exec(body)?.[1];
      const columns = body.split('\n').filter((line) => /^ {2}\w+ +\w/.test(line));
      return columns.map((line) => `${table}.${/@map\("(\w+)"\)/.exec(line)?.[1] ?? line.trim().split(/\s+/)[0]}`);
    });
    expect(named.sort()).toEqual(rows.map(({ name }) => name).sort());
  });
});
