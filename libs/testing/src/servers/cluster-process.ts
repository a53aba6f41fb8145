import { freePort, projectRoot, searchPath } from '#platform';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const MAIN = join(projectRoot, 'dist', 'apps', 'cli', 'src', 'main.js');
/** A start costs two seconds of a core; on a machine that does much else it has waited for half a minute. */
const READY_TIMEOUT_MS = 90_000;
const MAX_LOG_LINES = 20_000;
const living = new Set<ChildProcess>();

process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});

/** One real process of the product, started from dist. */
export class ClusterProcess {
  #child: ChildProcess | undefined;
  #exit: Promise<Exit> | undefined;
  readonly #lines: string[] = [];
  #partial = '';
  #intended = false;

  private constructor(
    readonly kind: 'api' | 'worker',
    readonly name: string,
    /** Of the API, or of a worker's health checks. */
    readonly port: number,
    /** Where an API serves gRPC. */
    readonly grpcPort: number,
    private readonly environment: Readonly<Record<string, string>>,
    private readonly restart: boolean,
  ) {}

  /** Prepared, not yet started. `restart`: it is started again whenever it ends unasked. */
  static async create(
    kind: 'api' | 'worker',
    name: string,
    environment: Readonly<Record<string, string>>,
    restart: boolean,
  ): Promise<ClusterProcess> {
    return new ClusterProcess(kind, name, await freePort(), await freePort(), environment, restart);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Undefined while it does not run. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  get running(): boolean {
    return this.#child !== undefined;
  }

  /** All that it has written so far, over all its starts. */
  get logs(): string {
    return [...this.#lines, this.#partial].join('\n');
  }

  /** Starts it (again) on the same port; resolves when it is ready. Rejects with what it wrote when it ends before. */
  async start({ ready = true }: { ready?: boolean } = {}): Promise<void> {
    if (this.#child) throw new Error(`${this.name} runs already`);
    this.#spawn();
    if (ready) await this.ready();
  }

  /** Resolves when `/readyz` answers 200. */
  async ready(): Promise<void> {
    const deadline = performance.now() + READY_TIMEOUT_MS;
    while (!(await this.#isReady())) {
      if (!this.#child && !this.restart) throw new Error(`${this.name} ended before it was ready:\n${this.logs}`);
      if (performance.now() > deadline)
        throw new Error(`${this.name} was not ready within ${READY_TIMEOUT_MS} ms:\n${this.logs}`);
      await sleep(25);
    }
  }

  /** SIGKILL; resolves when it is gone. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  /** SIGTERM; resolves with how it ended, however long it drains. */
  async stop(): Promise<Exit> {
    return this.#end('SIGTERM');
  }

  /** SIGSTOP: it neither answers nor notices that time passes. */
  pause(): void {
    this.#child?.kill('SIGSTOP');
  }

  resume(): void {
    this.#child?.kill('SIGCONT');
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name);
  }

  /** Resolves with how the process that runs now ends. */
  async exited(): Promise<Exit> {
    return this.#exit ?? { code: null, signal: null };
  }

  async #end(signal: NodeJS.Signals): Promise<Exit> {
    this.#intended = true;
    const exit = this.exited();
    this.#child?.kill(signal);
    return exit;
  }

  #spawn(): void {
    this.#intended = false;
    const port =
      this.kind === 'api'
        ? { PORT: String(this.port), GRPC_PORT: String(this.grpcPort) }
        : { WORKER_HEALTH_PORT: String(this.port) };
    // The channel tells the child when this process is gone, however it went.
    const child = spawn(process.execPath, [MAIN, this.kind], {
      cwd: projectRoot,
      env: { PATH: searchPath(), ...this.environment, ...port },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.#child = child;
    living.add(child);
    child.stdout?.on('data', (chunk: Buffer) => this.#collect(chunk));
    child.stderr?.on('data', (chunk: Buffer) => this.#collect(chunk));
    this.#exit = once(child, 'exit').then(([code, signal]: unknown[]) => {
      living.delete(child);
      this.#child = undefined;
      if (this.restart && !this.#intended) this.#spawn();
      return { code: code as number | null, signal: signal as NodeJS.Signals | null };
    });
  }

  async #isReady(): Promise<boolean> {
    try {
      const response = await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(2000) });
      await response.arrayBuffer();
      return response.ok;
    } catch {
      return false;
    }
  }

  #collect(chunk: Buffer): void {
    const parts = (this.#partial + chunk.toString()).split('\n');
    this.#partial = parts.pop() ?? '';
    this.#lines.push(...parts);
    this.#lines.splice(0, this.#lines.length - MAX_LOG_LINES);
  }
}
