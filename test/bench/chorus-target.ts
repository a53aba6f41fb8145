import { projectRoot } from '#platform';
import { join } from 'node:path';
import { startCluster, type ClusterOptions } from '../../libs/testing/src/servers/start-cluster.js';
import { createTestDatabase } from '../../libs/testing/src/servers/test-database.js';
import { startPostgres, startRedis } from '../../libs/testing/src/servers/test-servers.js';
import type { Target } from './target.js';

const AGENTS = join(projectRoot, 'test', 'bench', 'agents');

export interface ChorusTarget extends Target {
  readonly databaseUrl: string;
  readonly grpcPort: number;
}

/**
 * Starts the product as `npm start` runs it: one API, two workers, an embedded Postgres that flushes every commit to the disk,
 * and a Redis of this machine; with `redis: false` on Postgres alone.
 */
export async function startChorus({ redis = true } = {}): Promise<ChorusTarget> {
  const servers: { remove(): Promise<void> }[] = [];
  const removeServers = async (): Promise<void> => {
    for (const server of servers.reverse()) await server.remove();
  };
  try {
    const postgres = await startPostgres({ durable: true });
    servers.push(postgres);
    const signals = redis ? await startRedis() : undefined;
    if (signals) servers.push(signals);
    const { url: databaseUrl } = await createTestDatabase(postgres.url);
    const options: ClusterOptions = { apis: 1, workers: 2, databaseUrl, redisUrl: signals?.url ?? null };
    const cluster = await startCluster({ ...options, env: { CHORUS_AGENTS: AGENTS, LOG_LEVEL: 'warn' } });
    const [api] = cluster.apis as [(typeof cluster.apis)[number]];
    return {
      name: 'chorus',
      port: api.port,
      grpcPort: api.grpcPort,
      databaseUrl,
      processes: () => Object.fromEntries([...cluster.apis, ...cluster.workers].map(({ name, pid }) => [name, pid as number])),
      async stop() {
        await cluster.stop();
        await removeServers();
      },
    };
  } catch (error) {
    await removeServers();
    throw error;
  }
}
