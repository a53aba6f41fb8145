import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { root } from '../../scripts/prepare.mjs';
import { virtualEnvironment } from '../../scripts/python.mjs';
import { runOrThrow } from '../../scripts/run-or-throw.mjs';

const PLAY_MS = 5 * 60_000;
const here = import.meta.dirname;
const cache = (...names) => join(root, '.chorus', 'interop', ...names);
const requirements = join(here, 'python', 'requirements.txt');

/**
 * Official clients, in programs of their own, which print a line of JSON for each scene. `command` installs or builds what is missing
 * and answers the program and its arguments; throws when this machine has not what it takes.
 */
export const CLIENTS = [
  {
    name: 'JavaScript',
    sdk: `@a2a-js/sdk ${JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies['@a2a-js/sdk']}`,
    command: () => [process.execPath, join(here, 'javascript.mjs')],
  },
  {
    name: 'Python',
    sdk: readFileSync(requirements, 'utf8')
      .split('\n')[0]
      .replace(/\[.*\]==/, ' '),
    command() {
      const version = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
      return [
        virtualEnvironment(cache(`venv-${version}`), ['a2a', 'grpc'], ['-r', requirements]),
        join(here, 'python', 'client.py'),
      ];
    },
  },
  {
    name: 'Go',
    sdk: /github.com\/a2aproject\/a2a-go v\S+/.exec(readFileSync(join(here, 'go', 'go.mod'), 'utf8'))[0],
    command() {
      const program = cache('go-client');
      runOrThrow('go', ['build', '-o', program, '.'], { cwd: join(here, 'go') });
      return [program];
    },
  },
];

/** Has a client play every scene with the agent at `url`: resolves with `{ interface, scene, status, reason? }[]`. */
export async function playScenes([program, ...args], url) {
  const child = spawn(program, [...args, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  const timer = setTimeout(() => child.kill('SIGKILL'), PLAY_MS);
  const code = await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  clearTimeout(timer);
  if (code !== 0) throw new Error(`the program ended with ${code}`);
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
