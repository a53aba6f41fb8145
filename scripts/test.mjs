import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkNode, ensureBuilt, ensureInstalled } from './prepare.mjs';
import { runJest } from './run-jest.mjs';

/**
 * `npm test`: every suite, on servers of its own. `npm test -- <pattern>` runs the suites whose path matches;
 * `--results FILE` writes each test's outcome there as JSON.
 */

/**
 * Quick ones first; those that start or kill processes one file at a time. Not among them: `long`, whose suites wait for minutes,
 * at the same time. They are asked for by name.
 */
const PROJECTS = [
  ['unit', ['--maxWorkers=2']],
  ['integration', ['--maxWorkers=2']],
  ['fuzz', ['--maxWorkers=2']],
  ['e2e', ['--runInBand']],
  ['chaos', ['--runInBand']],
];
/** A crash of the machine loses these data anyway. */
const POSTGRES_SETTINGS = { fsync: 'off', full_page_writes: 'off' };

const args = process.argv.slice(2);
const resultsFile = takeOption('--results');
const tests = [];
const total = { passed: 0, failed: 0, skipped: 0 };
const skippedSuites = new Set();
const faults = [];
let interrupted = false;
let jest;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    interrupted = true;
    jest?.kill('SIGTERM');
  });
}

checkNode();
ensureInstalled();
if (!ensureBuilt()) faults.push('the build found errors, see the top');

const platform = await import('../dist/libs/platform/src/index.js');
const folder = mkdtempSync(join(tmpdir(), 'chorus-test-servers-'));
// Root's Postgres runs as another account, and puts its data elsewhere if it cannot get here.
chmodSync(folder, 0o711);
let postgres;
let redis;
try {
  postgres = await platform.EmbeddedPostgres.start({ dataDir: folder, settings: POSTGRES_SETTINGS, outliveS: 0 });
  const program = platform.findRedisServer(platform.searchPath());
  if (program !== undefined) redis = await platform.RedisServer.start({ program, dataDir: folder, outliveS: 0 });
  platform.overrideEnvironment({
    CHORUS_TEST_DATABASE_URL: postgres.url,
    CHORUS_TEST_REDIS_URL: redis?.url,
    FORCE_COLOR: process.stderr.isTTY ? '1' : undefined,
  });
  await runSuites();
} catch (error) {
  faults.push(error instanceof platform.StartError ? error.message : (error.stack ?? String(error)));
} finally {
  await redis?.stop();
  await postgres?.stop();
  rmSync(folder, { recursive: true, force: true });
}
if (resultsFile !== undefined) writeFileSync(resultsFile, JSON.stringify(tests));
report();

/** The value after `name`, both taken out of the arguments: Jest does not know them. */
function takeOption(name) {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args.splice(at, 2)[1];
}

async function runSuites() {
  const runs = args.includes('--selectProjects')
    ? [[args.includes('long') ? ['--maxWorkers=2', ...args] : args]]
    : PROJECTS.map(([name, flags]) => [[...flags, ...args, '--selectProjects', name], name]);
  for (const [flags, name = 'the suites'] of runs) {
    if (interrupted) return;
    const result = await run(flags);
    for (const key of Object.keys(total)) total[key] += result[key];
    for (const suite of result.skippedSuites) skippedSuites.add(suite);
    tests.push(...result.tests);
    if (result.leftOpen || (result.slowWorker && (await leavesOpen(flags))))
      faults.push(`${name}: something was left open (a handle, a connection or a child)`);
  }
}

function run(flags) {
  return runJest(flags, (child) => (jest = child));
}

/** In one process Jest can tell for certain. */
async function leavesOpen(flags) {
  if (interrupted) return false;
  console.log('\nA worker of Jest was slow to end: the same suites again, in one process.');
  const { leftOpen, failed } = await run([...flags.filter((flag) => !flag.startsWith('--maxWorkers')), '--runInBand']);
  total.failed += failed;
  return leftOpen;
}

function report() {
  if (skippedSuites.size > 0) {
    const why = redis ? 'Skipped:' : 'Skipped, most of them for lack of Redis:';
    console.log(`\n${why}\n${[...skippedSuites].map((name) => `  - ${name}`).join('\n')}`);
    if (!redis)
      console.log('To run them: apt-get install redis-server (Debian), brew install redis (macOS), then npm test again.');
  }
  if (args.length === 0) console.log('\nNot run: the suites in test/long, about two minutes: npm test -- --selectProjects long');
  if (interrupted) faults.push('interrupted');
  else if (faults.length === 0 && total.passed + total.failed + total.skipped === 0)
    faults.push(`no test matches ${args.join(' ')}`);
  for (const fault of faults) console.log(`\nFailed: ${fault}`);
  console.log(`\n${total.passed} passed, ${total.failed + faults.length} failed, ${total.skipped} skipped`);
  process.exit(total.failed + faults.length > 0 ? 1 : 0);
}
