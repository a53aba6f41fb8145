import { EmbeddedPostgres, RedisServer, findRedisServer, searchPath } from '#platform';
import { signalTree } from './process-tree.js';
import { temporaryFolder } from './temporary-folder.js';

/** A database server of one test's own, which the test may mistreat. */
export interface TestServer {
  /** Stays the same over `kill`, `stop` and `start`. */
  readonly url: string;
  readonly pid: number | undefined;
  /** Freezes it (SIGSTOP, its children too): connections stay open and nothing is answered. */
  pause(): void;
  resume(): void;
  /** Ends it as a crash would. */
  kill(): Promise<void>;
  /** Ends it in order; the data stays. */
  stop(): Promise<void>;
  /** Starts it again on the same port with the same data. */
  start(): Promise<void>;
  /** Ends it, also when it is paused, and deletes its data. */
  remove(): Promise<void>;
}

export interface TestPostgres extends TestServer {
  urlOf(database: string): string;
}

/** What a test gains by giving up what only a crash of the machine would need; `durable` keeps it, for measuring. */
const FAST = { fsync: 'off', full_page_writes: 'off', shared_buffers: '64MB' };

/** Starts a Postgres of this test's own on a free loopback port. */
export async function startPostgres({
  durable = false,
  settings = {},
}: { durable?: boolean; settings?: Record<string, string> } = {}): Promise<TestPostgres> {
  const folder = temporaryFolder();
  const postgres = await EmbeddedPostgres.start({
    dataDir: folder.path,
    settings: { ...(durable ? {} : FAST), ...settings },
    outliveS: 0,
  });
  return Object.assign(controls(postgres, folder), { urlOf: (database: string) => postgres.urlOf(database) });
}

/** Starts a Redis or Valkey of this test's own on a free loopback port. Rejects when there is none on PATH. */
export async function startRedis(): Promise<TestServer> {
  const program = findRedisServer(searchPath());
  if (program === undefined) throw new Error('No redis-server or valkey-server on PATH');
  const folder = temporaryFolder();
  return controls(await RedisServer.start({ program, dataDir: folder.path, outliveS: 0 }), folder);
}

function controls(server: EmbeddedPostgres | RedisServer, folder: { remove(): void }): TestServer {
  const signal = (name: 'SIGSTOP' | 'SIGCONT'): void => {
    if (server.pid !== undefined) signalTree(server.pid, name);
  };
  return {
    get url() {
      return server.url;
    },
    get pid() {
      return server.pid;
    },
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    kill: () => server.kill(),
    stop: () => server.stop(),
    start: () => server.start(),
    async remove() {
      signal('SIGCONT');
      await server.stop();
      folder.remove();
    },
  };
}
