import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { conformancePage, suitesOfRows } from './conformance/page.mjs';
import { readResults } from './conformance/results.mjs';
import { checkNode, ensureBuilt, ensureInstalled, root } from './prepare.mjs';

/** `npm run check`: everything about the code that can be told without running it. `npm run check -- lint types` runs those. */

const MAX_LINES = 400;
const HAND_WRITTEN = /\.(ts|mjs|cjs|js|sql|yml|sh)$/;
const NOT_OURS = new Set(['node_modules', 'dist', 'coverage', '.chorus', '.git']);

const bin = (name) => join(root, 'node_modules', '.bin', name);

const CHECKS = {
  types: () => run(bin('tsc'), ['-p', 'tsconfig.json', '--noEmit']),
  lint: () => run(bin('eslint'), ['.', '--max-warnings', '0']),
  cycles: () => run(bin('depcruise'), ['--config', '.dependency-cruiser.cjs', 'apps', 'libs', 'agents', 'test', 'scripts']),
  format: () => run(bin('prettier'), ['--check', '--log-level', 'warn', '.']),
  schema: () =>
    // Validating needs no engine; the command looks for one all the same, and would download it.
    run(bin('prisma'), ['validate', '--schema', 'prisma/schema.prisma'], {
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
      PRISMA_HIDE_UPDATE_MESSAGE: '1',
      DATABASE_URL: 'postgres://localhost/none',
    }),
  compose: () => run(bin('dclint'), ['--max-warnings', '0', 'docker-compose.yml']),
  dockerfile: () => run(bin('dockerfilelint'), ['deploy/docker/Dockerfile']),
  nginx: checkNginx,
  configuration: checkConfigurationPage,
  conformance: checkConformancePage,
  lengths: checkLengths,
  versions: checkVersions,
};

checkNode();
ensureInstalled();
ensureBuilt();
const wanted = process.argv.slice(2);
const names = Object.keys(CHECKS).filter((name) => wanted.length === 0 || wanted.includes(name));
const failed = [];
for (const name of names) {
  const { faults = '', note } = await CHECKS[name]();
  if (faults !== '') failed.push(name);
  console.log(`${faults === '' ? 'ok    ' : 'FAILED'} ${name}${note ? ` (${note})` : ''}`);
  if (faults !== '') console.log(faults.trim().replace(/^/gm, '       '));
}
console.log(`\n${names.length - failed.length} passed, ${failed.length} failed`);
process.exit(failed.length > 0 || names.length === 0 ? 1 : 0);

function run(command, args, environment = {}) {
  const done = spawnSync(command, args, { cwd: root, encoding: 'utf8', env: { ...process.env, ...environment }, maxBuffer: 1e8 });
  if (done.status === 0) return {};
  return { faults: done.error?.message ?? (`${done.stdout}${done.stderr}`.trim() || `exit code ${done.status}`) };
}

/** Where there is an nginx; the folder of its process id may not be writable here. */
function checkNginx() {
  if (spawnSync('nginx', ['-v']).error) return { note: 'skipped: no nginx here' };
  const folder = mkdtempSync(join(tmpdir(), 'chorus-nginx-'));
  try {
    const file = join(folder, 'nginx.conf');
    const text = readFileSync(join(root, 'deploy', 'nginx', 'nginx.conf'), 'utf8');
    writeFileSync(file, text.replace('/tmp/nginx.pid', join(folder, 'nginx.pid')));
    return run('nginx', ['-t', '-q', '-c', file]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function checkConfigurationPage() {
  const { configurationPage } = await import('../dist/libs/platform/src/index.js');
  const written = readFileSync(join(root, 'docs', 'configuration.md'), 'utf8');
  return written === configurationPage() ? {} : { faults: 'docs/configuration.md is not up to date: npm run docs:configuration' };
}

/** The page says what the results say, and the tests that its rows name are still in the tree. */
function checkConformancePage() {
  try {
    const gone = suitesOfRows().filter((file) => !existsSync(join(root, file)));
    if (gone.length > 0) return { faults: `scripts/conformance/claims name tests that are not there: ${gone.join(', ')}` };
    const written = readFileSync(join(root, 'docs', 'conformance.md'), 'utf8');
    return written === conformancePage(readResults())
      ? {}
      : { faults: 'docs/conformance.md is not what docs/conformance says: npm run docs:conformance' };
  } catch (error) {
    return { faults: error.message };
  }
}

function checkLengths() {
  const long = filesIn(root)
    .map((file) => [file, readFileSync(file, 'utf8').split('\n').length - 1])
    .filter(([, lines]) => lines > MAX_LINES);
  return {
    faults: long.map(([file, lines]) => `${relative(root, file)} has ${lines} lines, ${MAX_LINES} are the limit`).join('\n'),
  };
}

function checkVersions() {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
    ([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version),
  );
  return { faults: loose.map(([name, version]) => `${name} has the version ${version}: write an exact one`).join('\n') };
}

function filesIn(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (NOT_OURS.has(entry.name)) return [];
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return HAND_WRITTEN.test(entry.name) ? [path] : [];
  });
}
