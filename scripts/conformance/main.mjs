import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { generateKeyPairSync } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkNode, ensureBuilt, ensureInstalled, fail, root } from '../prepare.mjs';
import { prepareKit, runKit } from './kit.mjs';
import { KNOWN_KIT_FAILURES, KNOWN_KIT_FAILURES_WITH_V03, surprises } from './known-failures.mjs';
import { countsOf } from './evidence.mjs';
import { conformancePage, suitesOfRows } from './page.mjs';
import { playedByClients } from './interop.mjs';
import { differing, runProber } from './prober.mjs';
import { provenance, RESULTS_FOLDER, writeResults } from './provenance.mjs';
import { fileOf, PARTS, readResults } from './results.mjs';
import { RunningChorus } from './running-chorus.mjs';
import { runSuites } from './suites.mjs';

/**
 * `npm run conformance [-- kit probe suites interop] [--tck DIR]`: the evidence for docs/conformance.md anew, all of it or some parts, and
 * the page. Exit code 0 when nothing failed but what is known and explained.
 */
const RUNS = { kit: conformanceOfKit, probe: conformanceOfProber, suites: conformanceOfSuites, interop: conformanceOfClients };

const { parts, checkout } = commandLine();
checkNode();
ensureInstalled();
if (!ensureBuilt()) fail('The build found errors, see above: mend them and try again');
const { freePort } = await import('../../dist/libs/platform/src/index.js');

const faults = [];
let running;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, () => void (running?.stop() ?? Promise.resolve()).then(() => process.exit(130)));
mkdirSync(RESULTS_FOLDER, { recursive: true });
for (const part of parts) {
  console.error(`\n${part}: ${fileOf(part)}`);
  // Before the run: what is committed while it goes on is not what it looks at.
  const from = provenance();
  writeResults(fileOf(part), { ...from, ...(await RUNS[part]().catch((error) => fail(error.message))) });
}
if (PARTS.every((part) => existsSync(fileOf(part)))) {
  writeFileSync(join(root, 'docs', 'conformance.md'), conformancePage(readResults()));
  console.log('docs/conformance.md is written anew.');
}
for (const fault of faults) console.log(`Failed: ${fault}`);
console.log(faults.length === 0 ? 'Nothing failed but what is known.' : `${faults.length} failed.`);
process.exit(faults.length === 0 ? 0 : 1);

async function conformanceOfKit() {
  const kit = prepareKit(checkout);
  const settings = 'CHORUS_DEFAULT_AGENT=tck PORT=9999';
  const runOn = async (serveV03, known) => {
    const environment = { CHORUS_DEFAULT_AGENT: 'tck', A2A_V03: serveV03, ...(await ports()) };
    const result = await withChorus(environment, ({ url }) => runKit(kit, url));
    faults.push(...surprises(result.failures, known).map((fault) => `the kit, A2A_V03=${serveV03}: ${fault}`));
    return result;
  };
  const { tools, counts, failures, skips, requirements } = await runOn('off', KNOWN_KIT_FAILURES);
  const withV03 = await runOn('on', KNOWN_KIT_FAILURES_WITH_V03);
  return {
    source: kit.source,
    command: './run_tck.py --sut-host http://localhost:9999',
    settings: `A2A_V03=off ${settings}`,
    ...{ tools, counts },
    withV03: { settings: 'A2A_V03=on', counts: withV03.counts, failures: withV03.failures },
    ...{ failures, skips, requirements },
  };
}

async function conformanceOfProber() {
  const folder = mkdtempSync(join(tmpdir(), 'chorus-conformance-key-'));
  try {
    const key = join(folder, 'card-key.pem');
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    const { PORT, GRPC_PORT } = await ports();
    const environment = {
      ...{ PORT, GRPC_PORT, CHORUS_DEFAULT_AGENT: 'script' },
      CHORUS_AGENTS: join(root, 'test', 'fixtures', 'agents'),
      CHORUS_OUTBOUND_ALLOW: '127.0.0.1',
      CARD_SIGNING_KEY_FILE: key,
      PUBLIC_URL: `http://localhost:${PORT}`,
      PUBLIC_GRPC_ADDRESS: `localhost:${GRPC_PORT}`,
    };
    const open = await withChorus(environment, ({ url }) => runProber(url));
    const guarded = await withChorus({ ...environment, CHORUS_AUTH: 'apikey' }, (chorus) =>
      runProber(chorus.url, chorus.apiKey()),
    );
    const failed = [...open.checks, ...guarded.checks].filter(({ status }) => status === 'failed');
    faults.push(...failed.map(({ id, binding, reason }) => `the prober, ${id} ${binding ?? ''}: ${reason}`));
    const command = 'chorus probe http://localhost:3000/agents/script --allow-side-effects --push --json';
    return {
      ...{ command, settings: 'CARD_SIGNING_KEY_FILE=… PUBLIC_URL=… CHORUS_OUTBOUND_ALLOW=127.0.0.1' },
      ...open,
      guarded: { command: `${command} --api-key …`, settings: 'CHORUS_AUTH=apikey', counts: countsOf(guarded.checks) },
      differing: differing(open.checks, guarded.checks),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function conformanceOfSuites() {
  const tests = await runSuites(suitesOfRows());
  faults.push(...tests.filter(({ status }) => status === 'failed').map(({ file, test }) => `${file}: ${test}`));
  return { command: 'npm test', tests };
}

async function conformanceOfClients() {
  const { clients, scenes } = await playedByClients(await ports(), withChorus);
  faults.push(
    ...clients.filter(({ missing }) => missing !== undefined).map(({ name, missing }) => `the client in ${name}: ${missing}`),
  );
  const failed = scenes.filter(({ status }) => status === 'failed');
  faults.push(
    ...failed.map(({ client, interface: over, scene, reason }) => `the client in ${client}, ${over}, ${scene}: ${reason}`),
  );
  return { command: 'npm run test:interop', clients, scenes };
}

async function withChorus(environment, use) {
  running = new RunningChorus(environment);
  try {
    await running.start();
    return await use(running);
  } finally {
    await running.stop();
    running = undefined;
  }
}

async function ports() {
  return { PORT: String(await freePort()), GRPC_PORT: String(await freePort()) };
}

function commandLine() {
  try {
    const { values, positionals } = parseArgs({ options: { tck: { type: 'string' } }, allowPositionals: true });
    const unknown = positionals.filter((part) => !PARTS.includes(part));
    if (unknown.length > 0) throw new Error(`${unknown[0]} is none of ${PARTS.join(', ')}`);
    return { parts: positionals.length > 0 ? positionals : PARTS, checkout: values.tck && resolve(values.tck) };
  } catch (error) {
    return fail(error.message);
  }
}
