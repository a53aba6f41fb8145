import { WorkQueue, type Consumer, type ExecuteHint, type HintHandler } from '#core';

/** What happens to a hint on its way. */
export interface QueueFaults {
  /** True loses the hint, and its enqueue resolves. */
  drop?: (hint: ExecuteHint) => boolean;
  /** True hands it out twice, the second time as soon as the first is handled. */
  double?: (hint: ExecuteHint) => boolean;
}

interface Job {
  readonly id: string;
  readonly hint: ExecuteHint;
}

const DEFAULT_LATER_MS = 20;

/** What the in-memory queues of one test share, as the processes of a deployment share a server. */
export class InMemoryQueueServer {
  faults: QueueFaults = {};
  /** While it is false, enqueueing rejects, `healthy` says so, and nothing is handed out. */
  #available = true;
  /** Every hint that an enqueue took, in order. */
  readonly enqueued: ExecuteHint[] = [];
  readonly #waiting = new Map<string, Job[]>();
  /** Ids that are in use, and whether somebody has taken the job. */
  readonly #ids = new Map<string, 'waits' | 'taken'>();
  readonly #consumers = new Set<InMemoryConsumer>();
  readonly #timers = new Set<NodeJS.Timeout>();

  /** How long a hint that was answered `later` stays away, in milliseconds. */
  constructor(readonly laterMs = DEFAULT_LATER_MS) {}

  get available(): boolean {
    return this.#available;
  }

  set available(available: boolean) {
    this.#available = available;
    if (available) this.#handOut();
  }

  /** Hints of an agent that nobody handles yet. */
  waiting(agentId: string): readonly ExecuteHint[] {
    return (this.#waiting.get(agentId) ?? []).map(({ hint }) => hint);
  }

  add(hint: ExecuteHint): void {
    this.enqueued.push(hint);
    if (this.faults.drop?.(hint)) return;
    const { agentId, taskId, turn, epoch } = hint;
    for (const id of idsOf(hint)) {
      const known = this.#ids.get(id);
      if (known === undefined) this.#put({ id, hint: { agentId, taskId, turn, epoch } });
      if (known !== 'taken' || !hint.again) return;
    }
  }

  attach(consumer: InMemoryConsumer): void {
    this.#consumers.add(consumer);
    this.#handOut();
  }

  detach(consumer: InMemoryConsumer): void {
    this.#consumers.delete(consumer);
  }

  /** The server forgets everything that waits. */
  empty(): void {
    this.#waiting.clear();
    this.#ids.clear();
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  /** A consumer has room again. */
  next(): void {
    this.#handOut();
  }

  async handle(job: Job, handler: HintHandler): Promise<void> {
    this.#ids.set(job.id, 'taken');
    const outcome = await handler(job.hint).catch(() => 'done' as const);
    this.#ids.delete(job.id);
    if (outcome === 'later') this.#putLater(job);
    else if (this.faults.double?.(job.hint)) await handler(job.hint).catch(() => undefined);
  }

  #put(job: Job): void {
    const { agentId } = job.hint;
    this.#ids.set(job.id, 'waits');
    const jobs = this.#waiting.get(agentId) ?? [];
    this.#waiting.set(agentId, jobs);
    jobs.push(job);
    this.#handOut();
  }

  #putLater(job: Job): void {
    this.#ids.set(job.id, 'waits');
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      this.#put(job);
    }, this.laterMs).unref();
    this.#timers.add(timer);
  }

  #handOut(): void {
    if (!this.#available) return;
    for (const consumer of this.#consumers) {
      const jobs = this.#waiting.get(consumer.agentId) ?? [];
      while (jobs.length > 0 && consumer.hasRoom) consumer.take(jobs.shift() as Job);
    }
  }
}

/** The first, and those of its repetitions: however often a hint is given, its jobs are few. */
const idsOf = ({ agentId, taskId, turn, epoch }: ExecuteHint): string[] =>
  [0, 1, 2, 3].map((n) => [agentId, taskId, turn, epoch, n].join('/'));

class InMemoryConsumer implements Consumer {
  readonly #running = new Set<Promise<void>>();
  #paused = false;

  constructor(
    readonly agentId: string,
    private readonly concurrency: number,
    private readonly handler: HintHandler,
    private readonly server: InMemoryQueueServer,
  ) {}

  get hasRoom(): boolean {
    return !this.#paused && this.#running.size < this.concurrency;
  }

  take(job: Job): void {
    const work = Promise.resolve()
      .then(() => this.server.handle(job, this.handler))
      .finally(() => {
        this.#running.delete(work);
        this.server.next();
      });
    this.#running.add(work);
  }

  async pause(): Promise<void> {
    this.#paused = true;
  }

  async close(force = false): Promise<void> {
    this.#paused = true;
    this.server.detach(this);
    if (!force) await Promise.all(this.#running);
  }
}

/** One process's end of an `InMemoryQueueServer`. */
export class InMemoryWorkQueue extends WorkQueue {
  readonly #consumers = new Set<InMemoryConsumer>();
  #closed = false;

  constructor(readonly server: InMemoryQueueServer = new InMemoryQueueServer()) {
    super();
  }

  async enqueue(hints: readonly ExecuteHint[]): Promise<void> {
    if (this.#closed) throw new Error('The work queue is closed');
    if (!this.server.available) throw new Error('The work queue was made unavailable');
    for (const hint of hints) this.server.add(hint);
  }

  async consume(agentId: string, concurrency: number, handler: HintHandler): Promise<Consumer> {
    if (this.#closed) throw new Error('The work queue is closed');
    const consumer = new InMemoryConsumer(agentId, concurrency, handler, this.server);
    this.#consumers.add(consumer);
    this.server.attach(consumer);
    return consumer;
  }

  async healthy(): Promise<boolean> {
    return this.server.available && !this.#closed;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#consumers].map((consumer) => consumer.close()));
  }
}
