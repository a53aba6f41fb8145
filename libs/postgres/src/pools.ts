import pg from 'pg';
import { storeError } from './errors.js';

export interface PoolsOptions {
  readonly connectionString: string;
  /** Connections for sending, executing and reading tasks. */
  readonly size: number;
  /** Connections for lists and other queries that may take longer. */
  readonly listSize: number;
  /** How long an answer may take before the database counts as unreachable, in milliseconds. */
  readonly statementTimeoutMs: number;
  /** Shown in `pg_stat_activity`. */
  readonly applicationName: string;
  /** Called for connections that break while idle; the pool replaces them. */
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
  #closed = false;

  constructor(options: PoolsOptions) {
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
    this.hot = new pg.Pool({ ...common, max: options.size, options: PLANS, idleTimeoutMillis: 0 });
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
  pool: pg.Pool | pg.PoolClient,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<Row[]> {
  try {
    return (await pool.query<Row>({ name, text, values: [...values] })).rows;
  } catch (error) {
    throw storeError(error);
  }
}
