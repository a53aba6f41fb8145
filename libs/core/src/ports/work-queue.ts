/** A hint that a task has work. The store decides whether it has; a hint may be lost, doubled or late. */
export interface ExecuteHint {
  readonly agentId: string;
  readonly taskId: string;
  readonly turn: number;
  /** Lease epoch as of the hint. */
  readonly epoch: number;
  /**
   * The work was hinted before. A queue that still holds an earlier hint which nobody has taken keeps that one; one that was
   * taken swallows no repetition: it may sit with a worker that died before it claimed. However often a hint is repeated, it
   * makes a handful of jobs at most.
   */
  readonly again?: boolean;
}

/** `done`: the hint is used up. `later`: put it back, the store cannot be reached now. */
export type HintOutcome = 'done' | 'later';

export type HintHandler = (hint: ExecuteHint) => Promise<HintOutcome>;

export interface Consumer {
  /** Takes no further hints; those being handled go on. */
  pause(): Promise<void>;
  /** Waits for running handlers unless `force`. */
  close(force?: boolean): Promise<void>;
}

export abstract class WorkQueue {
  /**
   * Resolves when the hints are stored; rejects within 500 ms when that is not certain (they may still arrive).
   * A caller that has committed logs the failure and goes on: the reconciler hints again.
   */
  abstract enqueue(hints: readonly ExecuteHint[]): Promise<void>;

  /** Handles up to `concurrency` hints of one agent at a time. The hint of a handler that rejects is used up. */
  abstract consume(agentId: string, concurrency: number, handler: HintHandler): Promise<Consumer>;

  /** False while the queue's server does not answer; workers then take work from the store. */
  abstract healthy(): Promise<boolean>;

  abstract close(): Promise<void>;
}
