import { parseArgs } from 'node:util';
import { checkNode, ensureBuilt, ensureInstalled, fail } from '../../scripts/prepare.mjs';
import { RunningChorus } from '../../scripts/conformance/running-chorus.mjs';
import { playedByClients } from '../../scripts/conformance/interop.mjs';

/** `npm run test:interop`: official clients against Chorus. Exit code 0 when no scene failed; a client that cannot run here is told of. */
parseArgs({ options: {} });
checkNode();
ensureInstalled();
if (!ensureBuilt()) fail('The build found errors, see above: mend them and try again');
const { freePort } = await import('../../dist/libs/platform/src/index.js');

let running;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.once(signal, () => void (running?.stop() ?? Promise.resolve()).then(() => process.exit(130)));

const ports = { PORT: String(await freePort()), GRPC_PORT: String(await freePort()) };
const { clients, scenes } = await playedByClients(ports, async (environment, use) => {
  running = new RunningChorus(environment);
  try {
    await running.start();
    return await use(running);
  } finally {
    await running.stop();
  }
});

const count = (wanted) => scenes.filter(({ status }) => status === wanted).length;
for (const { name, sdk, missing } of clients) {
  console.log(`\n${name} (${sdk})${missing === undefined ? '' : `: not run: ${missing}`}`);
  for (const { interface: over, scene, status, reason } of scenes.filter(({ client }) => client === name))
    console.log(`  ${status.padEnd(7)} ${over.padEnd(13)} ${scene}${reason === undefined ? '' : `: ${reason}`}`);
}
console.log(`\n${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped`);
process.exit(count('failed') === 0 ? 0 : 1);
