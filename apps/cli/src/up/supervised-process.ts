import type { LogFields } from '#core';
import { environmentWith, StartError, type Environment, type ProcessLogger } from '#platform';
import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';

export interface SupervisedCommand {
  readonly name: string;
  readonly args: readonly string[];
  readonly environment: Environment;
  /** Answers 200 once the process does its work. */
  readonly readyUrl: string;
}

/** As `spawn` of node:child_process. */
export type Spawn = (program: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));
const READY_TIMEOUT_MS = 60_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A process that lived this long has earned a quick restart. */
const STEADY_MS = 60_000;

/** A child of `up`: must start once, and is started again whenever it ends after that. */
export class SupervisedProcess {
  #child: ChildProcess | undefined;
  #exited: Promise<void> = Promise.resolve();
  #stopping = false;
  #ready = false;
  #said = '';
  #pauseMs = FIRST_PAUSE_MS;
  #restart: NodeJS.Timeout | undefined;

  constructor(
    private readonly command: SupervisedCommand,
    private readonly logger: ProcessLogger,
    private readonly launch: Spawn = spawn,
  ) {}

  /** Starts it; resolves when it is ready. @throws StartError with what it said, when it ends before, or takes too long */
  async start(): Promise<void> {
    if (!this.#stopping) this.#spawn();
    const deadline = performance.now() + READY_TIMEOUT_MS;
    for (;;) {
      const answer = await ask(this.command.readyUrl);
      if (answer === 'ready') break;
      if (!this.#child) throw new StartError(this.#lastWords());
      if (performance.now() > deadline) {
        throw new StartError(`${this.command.name} was not ready within ${READY_TIMEOUT_MS / 1000} s (${answer})`);
      }
      await sleep(50);
    }
    this.#ready = true;
    if (this.#said !== '') process.stderr.write(this.#said);
  }

  /** Ends it in order, by force after `patienceMs`; resolves when it is gone. */
  async stop(patienceMs: number): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#restart);
    this.#child?.kill('SIGTERM');
    const timer = setTimeout(() => this.kill(), patienceMs);
    await this.#exited;
    clearTimeout(timer);
  }

  /** Ends it at once. */
  kill(): void {
    this.#stopping = true;
    clearTimeout(this.#restart);
    this.#child?.kill('SIGKILL');
  }

  #spawn(): void {
    const started = performance.now();
    this.#exited = this.#run().then((end) => {
      this.#child = undefined;
      if (!this.#ready || this.#stopping) return;
      if (performance.now() - started > STEADY_MS) this.#pauseMs = FIRST_PAUSE_MS;
      this.logger.warn(`${this.command.name} has ended and is started again`, { ...end, pauseMs: this.#pauseMs });
      this.#restart = setTimeout(() => this.#spawn(), this.#pauseMs);
      this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
    });
  }

  /** Resolves with how the child ended; a machine that has no room for another process is an end like any other. */
  #run(): Promise<LogFields> {
    return new Promise((resolve) => {
      const onError = (err: unknown): void => {
        this.#hear(`${(err as Error).message}\n`);
        resolve({ err });
      };
      try {
        // A process group of its own: Ctrl-C is for the supervisor, which ends its children in order. The channel tells the
        // child when the supervisor is gone.
        const child = this.launch(process.execPath, [MAIN, ...this.command.args], {
          env: environmentWith(this.command.environment),
          stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
          detached: true,
        });
        this.#child = child;
        child.stderr?.on('data', (chunk: Buffer) => this.#hear(chunk.toString()));
        child.on('error', (err) => {
          // Also told of a child that runs and could not be signalled.
          if (child.pid === undefined) onError(err);
        });
        child.once('close', (code, signal) => resolve({ code, signal }));
      } catch (err) {
        onError(err);
      }
    });
  }

  /** Until it is ready its words are kept: several children that fail for one reason should say it once. */
  #hear(words: string): void {
    if (this.#ready) process.stderr.write(words);
    else this.#said += words;
  }

  #lastWords(): string {
    const line = /^chorus: (.*)$/m.exec(this.#said.replace(/^chorus: CHORUS_\w+ is no variable.*\n/gm, ''))?.[1];
    return line ?? `${this.command.name} ended at once${this.#said ? `:\n${this.#said.trim()}` : ''}`;
  }
}

async function ask(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
    const body = await response.text();
    return response.ok ? 'ready' : body;
  } catch {
    return 'it does not answer';
  }
}
