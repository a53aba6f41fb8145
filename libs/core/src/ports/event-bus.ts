import type { TaskEvent } from '../task/task-event.js';

/** Where a message goes: an API replica (its own sends), a task (late subscribers), a worker (nudges) or all that deliver pushes. */
export type Channel = `replica:${string}` | `task:${string}` | `worker:${string}` | 'push';

/**
 * - `events`: committed events of one task, in order, without a gap.
 * - `head`: the task's log has grown to `sequence`; read it.
 * - `cancel`: the holder of the task's lease should look at its heartbeat now.
 * - `push`: the task's push configurations may have something to deliver.
 */
export type BusMessage =
  | { readonly type: 'events'; readonly taskId: string; readonly events: readonly TaskEvent[] }
  | { readonly type: 'head'; readonly taskId: string; readonly sequence: number }
  | { readonly type: 'cancel'; readonly taskId: string }
  | { readonly type: 'push'; readonly taskId: string };

export interface BusListener {
  onMessage(message: BusMessage): void;
  /** The subscription was interrupted and is back: whatever was sent meanwhile is lost. Read the store. */
  onResubscribed(): void;
}

export interface Subscription {
  close(): Promise<void>;
}

/** Live signals. Every message may be lost, doubled or late; nothing but speed may depend on one. */
export abstract class EventBus {
  /** Never before the commit. Resolves or rejects within 500 ms; a failure loses nothing but time. */
  abstract publish(channels: readonly Channel[], message: BusMessage): Promise<void>;

  /** Resolves once the server has acknowledged the subscription; rejects within 500 ms when it has not. */
  abstract subscribe(channel: Channel, listener: BusListener): Promise<Subscription>;

  abstract healthy(): Promise<boolean>;

  abstract close(): Promise<void>;
}
