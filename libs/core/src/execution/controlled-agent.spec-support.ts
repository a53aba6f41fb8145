import type { TaskState } from '#protocol';
import type { LogFields, Logger } from '../logger.js';
import type { BusListener, BusMessage, Channel, Subscription } from '../ports/event-bus.js';
import { EventBus } from '../ports/event-bus.js';
import { type Consumer, type ExecuteHint, WorkQueue } from '../ports/work-queue.js';
import type { TaskEvent } from '../task/task-event.js';
import type { AgentEvent, AgentExecutor, ExecutionContext } from './agent-executor.js';
import type { HostedAgent } from './hosted-agent.js';

/** A promise that the test resolves. */
export class Signal<T = void> {
  resolve!: (value: T) => void;
  reject!: (reason: unknown) => void;
  readonly promise = new Promise<T>((resolve, reject) => {
    this.resolve = resolve;
    this.reject = reject;
  });
}

/** An executor that does what the test says, step by step. */
export class ControlledExecutor implements AgentExecutor {
  readonly contexts: ExecutionContext[] = [];
  /** How often a generator of it ran its `finally`. */
  cleanedUp = 0;
  /** How many of its yields were taken. */
  taken = 0;
  #steps: (() => AgentEvent | 'end')[] = [];
  #wake = new Signal();
  #started = new Signal();

  constructor(private readonly options: { stopsOnAbort: boolean } = { stopsOnAbort: true }) {}

  yields(...events: unknown[]): void {
    for (const event of events) this.#push(() => event as AgentEvent);
  }

  ends(): void {
    this.#push(() => 'end');
  }

  throws(error: Error): void {
    this.#push(() => {
      throw error;
    });
  }

  /** Resolves with the context of the n-th execution. */
  async started(count = 1): Promise<ExecutionContext> {
    while (this.contexts.length < count) await this.#started.promise;
    return this.contexts[count - 1] as ExecutionContext;
  }

  async *execute(context: ExecutionContext): AsyncGenerator<AgentEvent> {
    this.contexts.push(context);
    this.#started.resolve();
    this.#started = new Signal();
    if (this.options.stopsOnAbort) context.signal.addEventListener('abort', () => this.#wake.resolve());
    try {
      for (;;) {
        const step = this.#steps.shift();
        if (!step) {
          if (this.options.stopsOnAbort) context.signal.throwIfAborted();
          await this.#wake.promise;
          this.#wake = new Signal();
          continue;
        }
        const event = step();
        if (event === 'end') return;
        yield event;
        this.taken += 1;
      }
    } finally {
      this.cleanedUp += 1;
    }
  }

  #push(step: () => AgentEvent | 'end'): void {
    this.#steps.push(step);
    this.#wake.resolve();
  }
}

export const hosted = (executor: AgentExecutor, rest: Partial<HostedAgent> = {}): HostedAgent => ({
  id: 'a',
  card: { name: 'a', description: 'a', version: '1', defaultInputModes: ['text'], defaultOutputModes: ['text'], skills: [] },
  policy: { recovery: 'retry', maxAttempts: 3 },
  answers: 'task',
  resumes: false,
  executor,
  ...rest,
});

export const status = (state: string, text?: string): AgentEvent => ({
  statusUpdate: { state: `TASK_STATE_${state}` as TaskState, ...(text === undefined ? {} : { message: { parts: [{ text }] } }) },
});

export const chunk = (artifactId: string, text: string, append = false): AgentEvent => ({
  artifactUpdate: { artifact: { artifactId, parts: [{ text }] }, append },
});

export class RecordingBus extends EventBus {
  readonly published: { channels: readonly Channel[]; message: BusMessage }[] = [];
  readonly listeners = new Map<Channel, BusListener>();
  failing = false;

  get events(): TaskEvent[] {
    return this.published.flatMap(({ message }) => (message.type === 'events' ? message.events : []));
  }

  async publish(channels: readonly Channel[], message: BusMessage): Promise<void> {
    if (this.failing) throw new Error('the bus is away');
    this.published.push({ channels, message });
  }

  async subscribe(channel: Channel, listener: BusListener): Promise<Subscription> {
    if (this.failing) throw new Error('the bus is away');
    this.listeners.set(channel, listener);
    return { close: async () => void this.listeners.delete(channel) };
  }

  async healthy(): Promise<boolean> {
    return !this.failing;
  }

  async close(): Promise<void> {}
}

export class RecordingQueue extends WorkQueue {
  readonly hints: ExecuteHint[] = [];
  failing = false;
  isHealthy = true;

  async enqueue(hints: readonly ExecuteHint[]): Promise<void> {
    if (this.failing) throw new Error('the queue is away');
    this.hints.push(...hints);
  }

  async consume(): Promise<Consumer> {
    return { pause: async () => {}, close: async () => {} };
  }

  async healthy(): Promise<boolean> {
    return this.isHealthy;
  }

  async close(): Promise<void> {}
}

export class RecordingLogger implements Logger {
  readonly lines: { level: string; message: string; fields: LogFields }[] = [];
  debug(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'debug', message, fields });
  }
  info(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'info', message, fields });
  }
  warn(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'warn', message, fields });
  }
  error(message: string, fields: LogFields = {}): void {
    this.lines.push({ level: 'error', message, fields });
  }
}
