import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkNode, ensureBuilt, ensureInstalled, fail } from './prepare.mjs';

/** `node scripts/with-servers.mjs COMMAND…`: runs it with DATABASE_URL and REDIS_URL of servers that live as long as it does. */
const [command, ...args] = process.argv.slice(2);
if (command === undefined) fail('with-servers needs a command');
checkNode();
ensureInstalled();
ensureBuilt();
const platform = await import('../dist/libs/platform/src/index.js');

const folder = mkdtempSync(join(tmpdir(), 'chorus-servers-'));
chmodSync(folder, 0o711);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child?.kill(signal));
let child;
let redis;
const postgres = await platform.EmbeddedPostgres.start({ dataDir: folder, outliveS: 0 });
try {
  const program = platform.findRedisServer(platform.searchPath());
  if (program !== undefined) redis = await platform.RedisServer.start({ program, dataDir: folder, outliveS: 0 });
  platform.overrideEnvironment({ DATABASE_URL: postgres.url, REDIS_URL: redis?.url ?? '' });
  child = spawn(command, args, { stdio: 'inherit' });
  process.exitCode = await new Promise((resolve) =>
    child.once('close', (code) => resolve(code ?? 1)).once('error', () => resolve(127)),
  );
} finally {
  await redis?.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
