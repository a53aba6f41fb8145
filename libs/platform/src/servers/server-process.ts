import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { signal } from './processes.js';

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: SpawnOptions;
  /** Written to the server's standard input, when that is a pipe. */
  readonly input?: string;
  /** File whose first line is the server's process id while it runs. */
  readonly pidFile: string;
  /** Ends the server in order. */
  readonly stopSignal: NodeJS.Signals;
  /** Seconds that the server outlives this process when that is killed, so that others can finish with it. */
  readonly outliveS: number;
}

/**
 * Reads the end of its input as the death of the process that started it, which `SIGKILL` does not let tell anyone. Then
 * waits some seconds, less if the server is gone meanwhile.
 */
const GUARD = [
  'serves() { [ "$(head -n 1 "$2" 2>/dev/null)" = "$3" ]; }',
  'read -r _; left=$1',
  'while [ "$left" -gt 0 ] && serves "$@"; do sleep 1; left=$((left - 1)); done',
  'serves "$@" && kill -s "$4" "$3"',
].join('; ');

/**
 * A database server as a child process. It has a process group of its own, so that Ctrl-C in a terminal does not reach it
 * before the processes that use it have ended; and it does not outlive this process, however that ends.
 */
export class ServerProcess {
  readonly #child: ChildProcess;
  readonly #guard: ChildProcess;
  readonly #stopSignal: NodeJS.Signals;
  /** Resolves when the server has ended, for whatever reason, and nothing of it is left. */
  readonly exited: Promise<void>;
  readonly pid: number;
  #running = true;

  /** @throws the error of the system when the command cannot be run at all */
  static async spawn(command: ServerCommand): Promise<ServerProcess> {
    const child = spawn(command.command, command.args, { ...command.options, detached: true });
    await once(child, 'spawn');
    child.stdin?.on('error', () => undefined).end(command.input ?? '');
    return new ServerProcess(child, command);
  }

  private constructor(child: ChildProcess, { pidFile, stopSignal, outliveS }: ServerCommand) {
    this.#child = child;
    this.#stopSignal = stopSignal;
    this.pid = child.pid as number;
    const guardArgs = ['-c', GUARD, 'guard', String(outliveS), pidFile, String(this.pid), stopSignal.replace('SIG', '')];
    this.#guard = spawn('/bin/sh', guardArgs, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
    this.#guard.stdin?.on('error', () => undefined);
    const guardExited = new Promise((resolve) => this.#guard.once('exit', resolve).once('error', resolve));
    this.exited = once(child, 'exit').then(async () => {
      this.#running = false;
      if (this.#guard.pid !== undefined) signal(-this.#guard.pid, 'SIGKILL');
      await guardExited;
    });
  }

  get running(): boolean {
    return this.#running;
  }

  /** Ends the server in order, by force after `timeoutMs`; resolves when it is gone. */
  async stop(timeoutMs = 20_000): Promise<void> {
    await this.#end(this.#stopSignal, timeoutMs);
  }

  /** Ends the server as a crash would. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL', 0);
  }

  async #end(name: NodeJS.Signals, timeoutMs: number): Promise<void> {
    if (!this.#running) return;
    this.#child.kill(name);
    const abort = new AbortController();
    const late = sleep(timeoutMs, 'late', { signal: abort.signal }).catch(() => 'gone');
    if ((await Promise.race([this.exited, late])) === 'late') this.#child.kill('SIGKILL');
    abort.abort();
    await this.exited;
  }
}
