import {
  TaskNotCancelableError,
  TaskNotFoundError,
  UnavailableError,
  isTerminal,
  type CancelTaskRequest,
  type Task,
  type WireText,
} from '#protocol';
import type { CallContext } from '../call-context.js';
import type { EventPublisher } from '../execution/event-publisher.js';
import type { Logger } from '../logger.js';
import type { EventBus } from '../ports/event-bus.js';
import type { CancelResult, TaskStore } from '../ports/task-store.js';
import type { TaskReader } from '../readers/task-reader.js';
import type { TaskReaders } from '../readers/task-readers.js';
import { taskAt } from './task-at.js';

/**
 * CancelTask (section 3.1.5). Cancel is a state: the wish is recorded first. Without a lease holder that statement commits
 * CANCELED too; with one, the holder is nudged and has the grace to stop, after which CANCELED is committed over it.
 */
export class CancelTask {
  constructor(
    private readonly store: TaskStore,
    private readonly readers: TaskReaders,
    private readonly bus: Pick<EventBus, 'publish'>,
    private readonly publisher: EventPublisher,
    private readonly logger: Logger,
    private readonly graceMs: number,
  ) {}

  async execute(ctx: CallContext, { id, metadata }: CancelTaskRequest): Promise<WireText<Task>> {
    const result = await this.store.cancel(ctx, id, { ...(metadata === undefined ? {} : { metadata }), force: false });
    if (result.outcome !== 'requested') return this.#answer(ctx, id, result);
    this.#nudge(id, result.leaseOwner);
    if (await this.#stopped(ctx, id)) return this.#answer(ctx, id, { outcome: 'already-canceled' });
    return this.#answer(ctx, id, await this.store.cancel(ctx, id, { force: true }));
  }

  /** Waits for the task's end for as long as the grace; false when it is over. */
  async #stopped(ctx: CallContext, id: string): Promise<boolean> {
    let graceOver = false;
    let reader: TaskReader | undefined;
    const timer = setTimeout(() => {
      graceOver = true;
      reader?.close();
    }, this.graceMs);
    try {
      reader = await this.readers.open(ctx, id);
      const stored = await this.store.get(ctx, id);
      if (!stored) throw new TaskNotFoundError(id);
      if (isTerminal(stored.state)) return true;
      if (graceOver) return false;
      reader.start(stored.sequence);
      for (;;) {
        const events = await reader.next();
        if (graceOver) return false;
        if (!events) throw new UnavailableError('The cancel was recorded; the wait for its end was cut short', { taskId: id });
        if (events.some(({ state }) => isTerminal(state))) return true;
      }
    } finally {
      clearTimeout(timer);
      reader?.close();
    }
  }

  async #answer(ctx: CallContext, id: string, result: CancelResult): Promise<WireText<Task>> {
    switch (result.outcome) {
      case 'canceled':
        this.publisher.publish(result.origin, id, [result.event]);
        return JSON.stringify(await taskAt(this.store, ctx, id, result.event.sequence));
      case 'already-canceled':
      case 'requested': {
        const stored = await this.store.get(ctx, id);
        if (!stored) throw new TaskNotFoundError(id);
        if (stored.state !== 'TASK_STATE_CANCELED') throw new TaskNotCancelableError(id, stored.state);
        return JSON.stringify(await taskAt(this.store, ctx, id, stored.sequence, stored));
      }
      case 'not-cancelable':
        throw new TaskNotCancelableError(id, result.state);
      case 'not-found':
        throw new TaskNotFoundError(id);
    }
  }

  #nudge(taskId: string, worker: string): void {
    this.bus
      .publish([`worker:${worker}`], { type: 'cancel', taskId })
      .catch((err: unknown) => this.logger.warn('A cancel signal was lost; the heartbeat carries it', { taskId, err }));
  }
}
