import { createHash, randomUUID } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { storeError } from '../errors.js';

/** The database has migrations that this code does not know: it belongs to a newer release. */
export class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';
  constructor(readonly unknown: readonly string[]) {
    super(
      `The database is newer than this code (it has the migration ${unknown[0]}): run the newer release, or restore an older backup`,
    );
  }
}

/** The code has migrations that the database lacks. */
export class PendingMigrationError extends Error {
  override readonly name = 'PendingMigrationError';
  constructor(pending: readonly string[]) {
    super(`The database lacks the migration ${pending[0]}: run "chorus migrate" first`);
  }
}

/** A migration was begun and not finished, or its file is not the one that was applied. */
export class BrokenMigrationError extends Error {
  override readonly name = 'BrokenMigrationError';
}

export interface MigrationStatus {
  readonly applied: readonly string[];
  readonly pending: readonly string[];
  /** In the database, and not in this code. */
  readonly unknown: readonly string[];
}

interface Migration {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

interface MigrationRow {
  readonly migration_name: string;
  readonly checksum: string;
  readonly finished_at: Date | null;
  readonly rolled_back_at: Date | null;
}

/** Prisma takes this lock too, so that the two never migrate at the same time. */
const ADVISORY_LOCK = 72_707_369;

/** The table in which Prisma keeps its history, as Prisma makes it. */
const HISTORY = `
create table if not exists "_prisma_migrations" (
  "id" varchar(36) primary key not null, "checksum" varchar(64) not null, "finished_at" timestamptz,
  "migration_name" varchar(255) not null, "logs" text, "rolled_back_at" timestamptz,
  "started_at" timestamptz not null default now(), "applied_steps_count" integer not null default 0)`;

/**
 * Applies what is missing of the migrations in `directory`, each in a transaction of its own, one process at a time.
 * Rejects with NewerDatabaseError or BrokenMigrationError without having changed anything.
 */
export async function migrate(connectionString: string, directory: string): Promise<{ applied: readonly string[] }> {
  const client = new pg.Client({ connectionString, application_name: 'chorus migrate', connectionTimeoutMillis: 10_000 });
  // The statement under way is told; without a listener the same error would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [ADVISORY_LOCK]);
    await client.query(HISTORY);
    const migrations = await readMigrations(directory);
    const { pending, unknown } = statusOf(migrations, await readHistory(client));
    if (unknown.length > 0) throw new NewerDatabaseError(unknown);
    for (const migration of migrations.filter(({ name }) => pending.includes(name))) await apply(client, migration);
    return { applied: pending };
  } finally {
    await client.end();
  }
}

/**
 * Rejects with NewerDatabaseError, PendingMigrationError or BrokenMigrationError when code and database do not fit, with
 * StoreUnavailableError when the database does not answer.
 */
export async function requireMigrated(pool: pg.Pool, directory: string): Promise<void> {
  const { pending, unknown } = await migrationStatus(pool, directory);
  if (unknown.length > 0) throw new NewerDatabaseError(unknown);
  if (pending.length > 0) throw new PendingMigrationError(pending);
}

/**
 * Compares the database with the code; changes nothing. Rejects with BrokenMigrationError, and with StoreUnavailableError when
 * the database does not answer.
 */
export async function migrationStatus(pool: pg.Pool, directory: string): Promise<MigrationStatus> {
  const migrations = await readMigrations(directory);
  const history = await readHistoryIfAny(pool).catch((error: unknown) => {
    throw storeError(error);
  });
  return statusOf(migrations, history);
}

async function readHistoryIfAny(pool: pg.Pool): Promise<MigrationRow[]> {
  const { rows } = await pool.query<{ there: boolean }>(`select to_regclass('_prisma_migrations') is not null as there`);
  return rows[0]?.there ? readHistory(pool) : [];
}

async function readMigrations(directory: string): Promise<Migration[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(join(directory, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

const readHistory = async (client: pg.Client | pg.Pool): Promise<MigrationRow[]> =>
  (await client.query<MigrationRow>('select migration_name, checksum, finished_at, rolled_back_at from "_prisma_migrations"'))
    .rows;

function statusOf(migrations: readonly Migration[], history: readonly MigrationRow[]): MigrationStatus {
  const live = history.filter(({ rolled_back_at }) => rolled_back_at === null);
  const unfinished = live.find(({ finished_at }) => finished_at === null);
  if (unfinished) {
    throw new BrokenMigrationError(
      `The migration ${unfinished.migration_name} was begun and not finished: mend the database, then mark it with prisma migrate resolve`,
    );
  }
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const { migration_name, checksum } of live) {
    const migration = known.get(migration_name);
    if (migration && migration.checksum !== checksum) {
      throw new BrokenMigrationError(`The migration ${migration_name} was changed after it was applied: restore its file`);
    }
  }
  const applied = new Set(live.map(({ migration_name }) => migration_name));
  return {
    applied: [...applied],
    pending: migrations.map(({ name }) => name).filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !known.has(name)).sort(),
  };
}

async function apply(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  await client.query('begin');
  try {
    await client.query(sql);
    await client.query(
      `insert into "_prisma_migrations" (id, checksum, finished_at, migration_name, started_at, applied_steps_count)
       values ($1, $2, clock_timestamp(), $3, now(), 1)`,
      [randomUUID(), checksum, name],
    );
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}
