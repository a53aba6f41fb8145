import type { Consumer, DatabaseClock, DirectClaims, EventPublisher, HostedAgent, LeaseKeeper, Logger } from '#core';
import type { Reconciler, TaskRunner, WorkQueue } from '#core';
import { within } from '#core';
import { HealthServer } from './health-server.js';
import type { Presence } from './presence.js';
import type { PushDelivery } from './push-delivery.js';

export interface WorkerParts {
  readonly agents: readonly HostedAgent[];
  readonly runner: TaskRunner;
  readonly leases: LeaseKeeper;
  readonly clock: DatabaseClock;
  readonly publisher: EventPublisher;
  readonly queue: WorkQueue;
  readonly presence: Presence;
  readonly directClaims: DirectClaims;
  /** Absent when another process has the role. */
  readonly reconciler?: Reconciler;
  /** Absent when others deliver push notifications, or there are none. */
  readonly push?: Pick<PushDelivery, 'start' | 'close' | 'lastSwept'>;
  readonly logger: Logger;
}

export interface WorkerOptions {
  readonly drainMs: number;
  readonly stopMs: number;
  readonly heartbeatMs: number;
  readonly sweepMs: number;
  readonly health?: { readonly host: string; readonly port: number };
}

const CLOSE_MS = 1000;
const CONSUME_RETRY_MS = 2000;
/** A loop that has not come round for this many of its intervals, and this long, is stuck. */
const STUCK_INTERVALS = 20;
const STUCK_MS = 120_000;
const UNSEEN_HEARTBEATS = 4;

/** One worker process: announces its agents, takes up their hints, keeps its leases, repairs what others left. */
export class Worker {
  readonly #consumers: Consumer[] = [];
  readonly #retries = new Set<NodeJS.Timeout>();
  readonly #health: HealthServer | undefined;
  #state: 'starting' | 'running' | 'stopping' = 'starting';
  #stopped: Promise<void> | undefined;

  constructor(
    private readonly parts: WorkerParts,
    private readonly options: WorkerOptions,
    private readonly now: () => number = () => performance.now(),
  ) {
    const { health } = options;
    const checks = { live: () => this.#stuck(), ready: () => this.#unready() };
    this.#health = health && new HealthServer(checks, health.host, health.port, parts.logger);
  }

  /** Rejects when the health port cannot be had; a store or a queue that is away is waited for in the background. */
  async start(): Promise<void> {
    const { agents, clock, leases, presence, directClaims, reconciler, push, logger } = this.parts;
    const healthPort = await this.#health?.start();
    await clock.start();
    leases.start();
    await presence.start();
    for (const agent of agents) await this.#consume(agent);
    directClaims.start();
    reconciler?.start();
    push?.start();
    this.#state = 'running';
    const roles = { reconciles: reconciler !== undefined, pushes: push !== undefined };
    logger.info('The worker runs', { agents: agents.map(({ id }) => id), ...roles, healthPort });
  }

  /** Drains, and closes what it was given but the connections; resolves within the drain time and a few seconds. */
  stop(): Promise<void> {
    this.#stopped ??= this.#stop();
    return this.#stopped;
  }

  async #stop(): Promise<void> {
    const { runner, leases, clock, publisher, presence, directClaims, reconciler, push, logger } = this.parts;
    const ran = this.#state === 'running';
    this.#state = 'stopping';
    if (ran) logger.info('The worker drains', { running: runner.running, drainMs: this.options.drainMs });
    for (const timer of this.#retries) clearTimeout(timer);
    await within(Promise.all([directClaims.close(), ...this.#consumers.map((consumer) => consumer.pause())]), CLOSE_MS);
    // Side by side: what the last turns report is delivered by others, or by this process until it has to end.
    const delivered = push?.close(this.options.drainMs);
    await runner.drain(this.options, () => this.#closeConsumers(true));
    await this.#closeConsumers(false);
    await delivered;
    const closings = [
      presence.stop(),
      leases.stop(),
      publisher.settled(),
      Promise.all([reconciler?.close(), this.#health?.stop()]),
    ];
    await within(Promise.allSettled(closings), CLOSE_MS);
    clock.stop();
    // One that could not start has nothing to tell but why.
    if (ran) logger.info('The worker has stopped');
  }

  async #closeConsumers(force: boolean): Promise<void> {
    await within(Promise.allSettled(this.#consumers.map((consumer) => consumer.close(force))), CLOSE_MS);
  }

  async #consume(agent: HostedAgent): Promise<void> {
    const { queue, runner, logger } = this.parts;
    try {
      const consumer = await queue.consume(agent.id, runner.concurrencyOf(agent), (hint) => runner.run(hint));
      this.#consumers.push(consumer);
      if (this.#state === 'stopping') await consumer.close(true);
    } catch (err) {
      logger.warn('The queue of an agent cannot be consumed now; work is taken from the store', { agentId: agent.id, err });
      if (this.#state === 'stopping') return;
      const timer = setTimeout(() => {
        this.#retries.delete(timer);
        void this.#consume(agent);
      }, CONSUME_RETRY_MS);
      this.#retries.add(timer);
    }
  }

  /** An outage of the store or the queue is no reason to be restarted: it would only end live turns. A stuck loop is. */
  #stuck(): string | undefined {
    const { presence, reconciler, push } = this.parts;
    if (this.#state !== 'running') return undefined;
    if (this.#isStuck(presence.lastTried, this.options.heartbeatMs)) return 'the heartbeat does not come round';
    if (reconciler && this.#isStuck(reconciler.lastSwept, this.options.sweepMs)) return 'the reconciler does not come round';
    if (push && this.#isStuck(push.lastSwept, this.options.sweepMs))
      return 'the delivery of push notifications does not come round';
    return undefined;
  }

  #isStuck(last: number, interval: number): boolean {
    return this.now() - last > Math.max(STUCK_MS, interval * STUCK_INTERVALS);
  }

  #unready(): string | undefined {
    if (this.#state !== 'running') return `the worker is ${this.#state}`;
    const unseen = this.now() - this.parts.presence.lastSeen > this.options.heartbeatMs * UNSEEN_HEARTBEATS;
    return unseen ? 'the store does not answer' : undefined;
  }
}
