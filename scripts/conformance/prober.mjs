import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../prepare.mjs';

/** What to say to the test agent `script`, so that it finishes, asks back, and works for a while. */
const SCENES = [
  ...['--message', 'working on it\nappend a one \nappend a two\nartifact b three\ncomplete done'],
  ...['--message-that-asks', 'input which one?', '--answer', 'complete done'],
  ...['--message-that-works', 'working\nchunks 6 150\ncomplete done'],
];

/** Runs `dist/probe.mjs` with everything that it may do against the agent `script`; resolves with its report. */
export async function runProber(baseUrl) {
  const args = [join(root, 'dist', 'probe.mjs'), `${baseUrl}/agents/script`, '--allow-side-effects', '--json', ...SCENES];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 2] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  if (code > 1) throw new Error(`The prober found no agent at ${baseUrl}`);
  return reportOf(JSON.parse(output));
}

/** What of the report does not differ from run to run. */
export function reportOf({ specification, interfaces, results }) {
  return {
    specification,
    interfaces: interfaces.map(({ protocolBinding, protocolVersion }) => `${protocolBinding} ${protocolVersion}`),
    checks: results.map(({ id, binding, title, requirement, section, status, reason }) => ({
      ...{ id, binding, title, requirement, section, status },
      ...(reason !== undefined && { reason }),
    })),
  };
}
