import { StoreUnavailableError } from '#core';
import pg from 'pg';
import { storeError } from './errors.js';

export interface PoolsOptions {
  readonly connectionString: string;
  /** Connections for sending, executing and reading tasks. */
  readonly size: number;
  /** Connections for lists and other queries that may take longer. */
  readonly listSize: number;
  /** After this time the server gives a statement up, and the database counts as unreachable. Milliseconds. */
  readonly statementTimeoutMs: number;
  /**
   * How long an answer of the `hot` pool may take before its connection is taken for broken; never more than the statement
   * timeout, which it is unless given. A worker needs it well below its lease: it has to notice a connection that carries nothing
   * any more, make another and renew its leases while they last.
   */
  readonly answerMs?: number;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Called for connections that break while idle, which the pool replaces, and for rows that cannot be read. */
  readonly onError: (error: Error) => void;
}

/**
 * A fresh database has no statistics, and a statement prepared on empty tables would keep its sequential scan for hours. Every
 * named statement has one good plan, by index: leave the planner no other, and make it once a connection.
 */
const PLANS =
  '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_bitmapscan=off -c enable_mergejoin=off -c jit=off';

const INT8 = 20;

/** Counts and milliseconds fit into a double. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === INT8 && format !== 'binary' ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as unknown as pg.CustomTypesConfig;

/** A named statement: parsed and planned once a connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** A process's connections to Postgres, one pool for each kind of work. */
export class Pools {
  readonly hot: pg.Pool;
  readonly lists: pg.Pool;
  readonly onError: (error: Error) => void;
  #closed = false;

  constructor(options: PoolsOptions) {
    const answerMs = Math.min(options.answerMs ?? options.statementTimeoutMs, options.statementTimeoutMs);
    this.onError = options.onError;
    const common = {
      connectionString: options.connectionString,
      application_name: options.applicationName,
      // The server gives up too, so that a statement nobody waits for holds no locks.
      query_timeout: options.statementTimeoutMs,
      statement_timeout: options.statementTimeoutMs,
      connectionTimeoutMillis: options.statementTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      types,
    };
    this.hot = new pg.Pool({
      ...common,
      query_timeout: answerMs,
      connectionTimeoutMillis: answerMs,
      max: options.size,
      options: PLANS,
      idleTimeoutMillis: 0,
    });
    this.lists = new pg.Pool({ ...common, max: options.listSize, options: PLANS });
    for (const pool of [this.hot, this.lists]) {
      pool.on('error', (error) => {
        if (!this.#closed) options.onError(error);
      });
      // A connection that breaks twice, or while it is being replaced, has no other listener: that would end the process.
      pool.on('connect', (client) => client.on('error', () => undefined));
    }
  }

  /** Waits for what is under way; connections that break from here on are of no interest. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([this.hot.end(), this.lists.end()]);
  }
}

/** Runs a named statement. Rejects with StoreUnavailableError when the outcome is unknown. */
export async function run<Row extends pg.QueryResultRow>(
  pool: pg.Pool,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  try {
    return (await pool.query<Row>({ name, text, values: [...values] })).rows;
  } catch (error) {
    if (isSilence(error)) dropIdle(pool);
    throw storeError(error);
  }
}

/** Runs a named statement within a transaction. */
export type RunHere = <Row extends pg.QueryResultRow>(statement: Statement, values: readonly unknown[]) => Promise<Row[]>;

/**
 * Runs named statements in one transaction, which is committed when `work` resolves and rolled back when it rejects: what it throws is
 * thrown as it is. Rejects with StoreUnavailableError when the outcome is unknown. For what is seldom: one statement alone costs a third.
 */
export async function transaction<T>(pool: pg.Pool, work: (runHere: RunHere) => Promise<T>): Promise<T> {
  const client = await asStore(pool.connect());
  const runHere: RunHere = async ({ name, text }, values) =>
    (await asStore(client.query({ name, text, values: [...values] }))).rows;
  let isClean = false;
  try {
    await asStore(client.query('begin'));
    const result = await work(runHere);
    await asStore(client.query('commit'));
    isClean = true;
    return result;
  } catch (error) {
    // Where the outcome is unknown the connection is closed, and the server takes everything back.
    if (!(error instanceof StoreUnavailableError)) isClean = await succeeds(client.query('rollback'));
    throw error;
  } finally {
    client.release(!isClean);
  }
}

const asStore = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    throw storeError(error);
  });

const succeeds = (answer: Promise<unknown>): Promise<boolean> =>
  answer.then(
    () => true,
    () => false,
  );

/** The answer did not come in time; the pool has closed the connection. */
const isSilence = (error: unknown): boolean => error instanceof Error && error.message === 'Query read timeout';

/**
 * What silenced one connection (a firewall that forgot it, a server that vanished) has silenced those that idle. Each would cost
 * the next statements as long as this one has waited; a new connection costs milliseconds.
 */
function dropIdle(pool: pg.Pool): void {
  for (let left = pool.idleCount; left > 0; left -= 1) {
    pool.connect().then(
      (client) => client.release(true),
      () => undefined,
    );
  }
}
