import {
  EmbeddedPostgres,
  findRedisServer,
  RedisServer,
  searchPath,
  StartError,
  type LaunchConfig,
  type ProcessLogger,
} from '#platform';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { networkFault } from '../explain.js';

/** The database servers of this run, its own or those that it was told of. */
export interface Storage {
  readonly databaseUrl: string;
  readonly redisUrl: string | undefined;
  /** As people want to read it. */
  readonly description: { readonly postgres: string; readonly redis: string };
  /** Ends its own servers; those that it was told of stay. */
  stop(): Promise<void>;
}

type OwnServer = EmbeddedPostgres | RedisServer;

const REACH_TIMEOUT_MS = 5000;
const RESTART_PAUSE_MS = 1000;

/**
 * Starts what was not named by DATABASE_URL and REDIS_URL. A server that ends is started again on the same data.
 * @throws StartError, with nothing left running
 */
export async function openStorage(config: LaunchConfig, dataDir: string, logger: ProcessLogger): Promise<Storage> {
  const own: OwnServer[] = [];
  let stopping = false;
  const stop = async (): Promise<void> => {
    stopping = true;
    for (const server of own.toReversed()) await server.stop();
  };
  const keep = async (name: string, server: OwnServer): Promise<void> => {
    for (;;) {
      await server.exited;
      if (stopping) return;
      logger.error(`${name} has ended and is started again`);
      await server.start().catch((err: unknown) => logger.error(`${name} could not be started again`, { err }));
      if (server.pid === undefined) await sleep(RESTART_PAUSE_MS);
    }
  };
  const add = <Server extends OwnServer>(name: string, server: Server): Server => {
    own.push(server);
    void keep(name, server);
    return server;
  };
  try {
    const postgres = config.databaseUrl === undefined ? add('Postgres', await EmbeddedPostgres.start({ dataDir })) : undefined;
    const program = config.redisUrl === undefined ? findRedisServer(searchPath()) : undefined;
    const redis = program === undefined ? undefined : add('Redis', await RedisServer.start({ program, dataDir }));
    return {
      databaseUrl: config.databaseUrl ?? (postgres as EmbeddedPostgres).url,
      redisUrl: config.redisUrl ?? redis?.url,
      description: {
        postgres: postgres ? `127.0.0.1:${postgres.port}, data in ${dataDir}` : 'DATABASE_URL',
        redis: redis
          ? `127.0.0.1:${redis.port} (${program})`
          : config.redisUrl === undefined
            ? 'none, Postgres alone'
            : 'REDIS_URL',
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * Reaches the servers that DATABASE_URL and REDIS_URL name. One at which nothing listens is a mistake to mend now, whatever the
 * system could do without it later.
 * @throws StartError
 */
export async function reachNamedServers({ databaseUrl, redisUrl }: LaunchConfig): Promise<void> {
  if (redisUrl !== undefined) await reach('REDIS_URL', redisUrl, 6379);
  if (databaseUrl !== undefined) await reach('DATABASE_URL', databaseUrl, 5432);
}

async function reach(variable: string, url: string, defaultPort: number): Promise<void> {
  const { hostname, port } = new URL(url);
  if (hostname === '' || hostname.startsWith('%2F')) return;
  const host = hostname.replace(/^\[|\]$/g, '');
  const target = { host, port: port === '' ? defaultPort : Number(port) };
  const fault = await new Promise<string | undefined>((resolve) => {
    const socket = connect(target);
    const finish = (reason?: string): void => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(REACH_TIMEOUT_MS, () => finish('it does not answer'));
    socket
      .once('connect', () => finish())
      .once('error', (error: NodeJS.ErrnoException) => finish(networkFault(error.code ?? error.message)));
  });
  if (fault !== undefined)
    throw new StartError(
      `${variable} cannot be reached at ${host}:${target.port} (${fault}): start it there, or correct ${variable}`,
    );
}
