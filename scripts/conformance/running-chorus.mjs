import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../prepare.mjs';

const SCOPES = ['tasks:read', 'tasks:write', 'push', 'card:extended'];
const START_MS = 120_000;

/** What `npm start` runs, with data of its own that are gone afterwards. */
export class RunningChorus {
  #child;
  #folder = mkdtempSync(join(tmpdir(), 'chorus-conformance-'));
  #output = '';

  constructor(environment) {
    this.environment = environment;
    this.url = `http://localhost:${environment.PORT}`;
  }

  /** Resolves when the default agent's card is served. Rejects, with what was printed and nothing left running, when it is not. */
  async start() {
    const args = [join(root, 'scripts', 'start.mjs'), '--data', this.#folder, '--workers', '1'];
    this.#child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...this.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) stream.on('data', (chunk) => (this.#output += chunk));
    const deadline = Date.now() + START_MS;
    while (!(await isServed(`${this.url}/.well-known/agent-card.json`))) {
      if (this.#child.exitCode === null && Date.now() < deadline) await sleep(200);
      else {
        await this.stop();
        throw new Error(`Chorus did not start:\n${this.#output}`);
      }
    }
    return this;
  }

  /** An API key that permits every operation. */
  apiKey() {
    const args = [join(root, 'scripts', 'chorus.mjs'), 'keys', 'create', '--principal', 'conformance', '--scope', ...SCOPES];
    const options = { cwd: root, encoding: 'utf8', env: { ...process.env, CHORUS_DATA_DIR: this.#folder } };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, options);
    if (status !== 0) throw new Error(`no API key could be made: ${stderr}`);
    return stdout.trim();
  }

  async stop() {
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const isServed = (url) =>
  fetch(url).then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );
