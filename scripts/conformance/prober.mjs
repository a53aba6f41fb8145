import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../prepare.mjs';

/** What to say to the test agent `script`, so that it finishes, asks back, and works for a while. */
const SCENES = [
  ...['--message', 'working on it\nappend a one \nappend a two\nartifact b three\ncomplete done'],
  ...['--message-that-asks', 'input which one?', '--answer', 'complete done'],
  ...['--message-that-works', 'working\nchunks 6 150\ncomplete done'],
];

/** Runs `dist/probe.mjs`, with everything that it may do, against the agent `script`; resolves with its report. */
export async function runProber(baseUrl, apiKey) {
  const args = [
    join(root, 'dist', 'probe.mjs'),
    `${baseUrl}/agents/script`,
    '--allow-side-effects',
    '--push',
    '--json',
    ...SCENES,
  ];
  if (apiKey !== undefined) args.push('--api-key', apiKey);
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 2] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  if (code > 1) throw new Error(`The prober found no agent at ${baseUrl}`);
  const { specification, interfaces, results } = JSON.parse(output);
  return {
    specification,
    interfaces: interfaces.map(({ protocolBinding, protocolVersion }) => `${protocolBinding} ${protocolVersion}`),
    // Without what differs from run to run.
    checks: results.map(({ id, binding, title, requirement, section, status, reason }) => ({
      ...{ id, binding, title, requirement, section, status },
      ...(reason !== undefined && { reason }),
    })),
  };
}

/** The checks of `after` that came out otherwise than in `before`. */
export function differing(before, after) {
  const keyOf = ({ id, binding }) => `${id}@${binding}`;
  const known = new Map(before.map((check) => [keyOf(check), check.status]));
  return after.filter((check) => known.get(keyOf(check)) !== check.status);
}
