import {
  SILENT,
  ThrottledWarning,
  WorkQueue,
  within,
  type Consumer,
  type ExecuteHint,
  type HintHandler,
  type Logger,
} from '#core';
import { BullMqConsumer } from './bullmq-consumer.js';
import { Producer } from './producer.js';
import type { QueueServer } from './queue-server.js';

/** What the queues on both servers share. */
export interface WorkQueueOptions {
  /** Without one the queue is silent. */
  readonly logger?: Logger;
  /** How long a hint stays away that was answered `later`; 1 s unless given. Milliseconds. */
  readonly laterMs?: number;
}

const LATER_MS = 1000;
const HEALTHY_MS = 500;
/** Nobody reads BullMQ's event streams. */
const QUEUE_OPTIONS = { streams: { events: { maxLen: 10 } } };

/** The work queue on BullMQ: one queue per agent. Nothing in it is missed when it is lost; see `WorkQueue`. */
export class BullMqWorkQueue extends WorkQueue {
  readonly #producers = new Map<string, Producer>();
  readonly #consumers = new Set<BullMqConsumer>();
  readonly #trouble: ThrottledWarning;
  #closed = false;

  /** Made by `redisWorkQueue` and `postgresWorkQueue`. */
  constructor(
    private readonly server: QueueServer,
    private readonly options: WorkQueueOptions,
  ) {
    super();
    this.#trouble = new ThrottledWarning(
      options.logger ?? SILENT,
      'The work queue has trouble; hints that it loses are given again',
    );
  }

  override async enqueue(hints: readonly ExecuteHint[]): Promise<void> {
    this.#refuseWhenClosed();
    const byAgent = new Map<string, ExecuteHint[]>();
    for (const hint of hints) {
      const some = byAgent.get(hint.agentId);
      if (some) some.push(hint);
      else byAgent.set(hint.agentId, [hint]);
    }
    const added = await Promise.allSettled([...byAgent].map(([agentId, some]) => this.#producer(agentId).add(some)));
    for (const result of added) if (result.status === 'rejected') throw result.reason;
  }

  override async consume(agentId: string, concurrency: number, handler: HintHandler): Promise<Consumer> {
    this.#refuseWhenClosed();
    const { logger = SILENT, laterMs = LATER_MS } = this.options;
    const consumer = new BullMqConsumer(this.server, {
      name: queueName(agentId),
      agentId,
      concurrency,
      handler,
      laterMs,
      putBack: (hints, delayMs) => this.#producer(agentId).putBack(hints, delayMs),
      logger,
    });
    this.#consumers.add(consumer);
    await consumer.started();
    return consumer;
  }

  override async healthy(): Promise<boolean> {
    if (this.#closed) return false;
    const answer = this.server.ping().then(
      () => true,
      () => false,
    );
    return (await within(answer, HEALTHY_MS)) && answer;
  }

  override async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const consumers = [...this.#consumers];
    await Promise.all(consumers.map((consumer) => consumer.close()));
    await within(Promise.all(consumers.map((consumer) => consumer.puttingBack())), HEALTHY_MS);
    await within(Promise.all([...this.#producers.values()].map((producer) => producer.close())), HEALTHY_MS);
    await this.server.close();
  }

  #producer(agentId: string): Producer {
    let producer = this.#producers.get(agentId);
    if (!producer) {
      producer = new Producer(agentId, () => {
        const queue = this.server.openQueue(queueName(agentId), QUEUE_OPTIONS);
        queue.on('error', (err) => this.#trouble.warn({ agentId, err }));
        return queue;
      });
      this.#producers.set(agentId, producer);
    }
    return producer;
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new Error('The work queue is closed');
  }
}

const queueName = (agentId: string): string => `execute-${agentId}`;
