import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../start-error.js';
import type { Binaries } from './binaries.js';
import type { ClusterHome } from './cluster-home.js';

export const CLUSTER_USER = 'chorus';
export const CLUSTER_DATABASE = 'chorus';

/** Makes the cluster unless there is one. Returns its password. @throws StartError when it is there but cannot be used */
export function createCluster(home: ClusterHome, binaries: Binaries): string {
  const data = join(home.folder, 'data');
  const passwordFile = join(home.folder, 'password');
  if (!existsSync(data)) initialize(home, binaries, data, passwordFile);
  const version = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  if (version !== binaries.majorVersion) {
    throw new StartError(
      `${data} was written by Postgres ${version}, this version of Chorus brings ${binaries.majorVersion}: ` +
        'move the data with pg_dump, or give another folder with --data',
    );
  }
  return readFileSync(passwordFile, 'utf8').trim();
}

/** A cluster appears under its name only when it is whole: whoever is killed here leaves nothing that looks like one. */
function initialize(home: ClusterHome, binaries: Binaries, data: string, passwordFile: string): void {
  const draft = join(home.folder, 'data.new');
  rmSync(draft, { recursive: true, force: true });
  writeFileSync(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  if (home.account) chownSync(passwordFile, home.account.uid, home.account.gid);
  const locale = ['--encoding=UTF8', '--locale=C'];
  run(home, binaries.initdb, [
    `--pgdata=${draft}`,
    `--username=${CLUSTER_USER}`,
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    ...locale,
  ]);
  run(home, binaries.postgres, ['--single', '-D', draft, 'postgres'], `create database ${CLUSTER_DATABASE}\n`);
  renameSync(draft, data);
}

function run(home: ClusterHome, program: string, args: readonly string[], input = ''): void {
  const done: SpawnSyncReturns<string> = spawnSync(program, args, {
    cwd: home.folder,
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
    input,
    encoding: 'utf8',
    ...home.account,
  });
  if (done.status === 0 && !/\b(FATAL|ERROR):/.test(done.stderr)) return;
  const said =
    done.error?.message ?? done.stderr.split('\n').find((line) => /error|fatal/i.test(line)) ?? `exit code ${done.status}`;
  throw new StartError(`The database in ${home.folder} could not be created: ${said.trim()}`);
}
