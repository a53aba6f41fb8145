import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLUSTER_DATABASE, CLUSTER_USER } from './create-cluster.js';
import { runningPort } from './postmaster.js';

/** Where the embedded Postgres of a data folder answers; undefined while none runs on it. */
export function runningPostgresUrl(dataDir: string): string | undefined {
  const folder = join(dataDir, 'postgres');
  const passwordFile = join(folder, 'password');
  const port = runningPort(join(folder, 'data'));
  if (port === undefined || !existsSync(passwordFile)) return undefined;
  const password = readFileSync(passwordFile, 'utf8').trim();
  return `postgres://${CLUSTER_USER}:${password}@127.0.0.1:${port}/${CLUSTER_DATABASE}`;
}
