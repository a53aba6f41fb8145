import type { PushAttempt } from './push-delivery-store.js';

/** A configuration as an operator sees it. Times are milliseconds since the epoch. */
export interface PushConfigState {
  readonly taskId: string;
  readonly configId: string;
  readonly tenant: string;
  readonly agentId: string;
  readonly receiver: string;
  /** The last event that was delivered or is not for this receiver. */
  readonly cursor: number;
  /** Of the task. */
  readonly sequence: number;
  readonly state: 'open' | 'finished' | 'dead';
  readonly failures: number;
  readonly failingSince?: number;
  readonly deadAt?: number;
}

/** Whose configurations are meant; what is undefined narrows nothing. */
export interface PushOwner {
  readonly tenant?: string;
  readonly agentId?: string;
}

export interface PushConfigQuery extends PushOwner {
  readonly taskId?: string;
  /** Only those that were given up. */
  readonly dead?: boolean;
  readonly limit: number;
}

/** An attempt as it stands in the ledger. */
export interface LedgerEntry extends PushAttempt {
  readonly taskId: string;
  readonly configId: string;
  readonly startedAt: number;
}

/** One task's configuration, or all of them. */
export interface PushTarget extends PushOwner {
  readonly taskId: string;
  readonly configId?: string;
}

/** What became of deliveries, for operators. Every method rejects with StoreUnavailableError when the database cannot be reached. */
export abstract class PushLedger {
  /** The newest tasks first; of those that were given up, when only they are asked for, the last first. */
  abstract configs(query: PushConfigQuery): Promise<readonly PushConfigState[]>;

  /** The newest first. */
  abstract deliveries(target: PushTarget, limit: number): Promise<readonly LedgerEntry[]>;

  /**
   * Makes the configurations due at once, given up or not: from the event `from` on, or from the first that is owed. Whoever is
   * delivering to them is fenced off. Resolves with how many there are.
   */
  abstract redeliver(target: PushTarget, from?: number): Promise<number>;

  /** The same of those that were given up, of all tasks, from the first event that is owed; `limit` of them at most. */
  abstract redeliverDead(dead: PushOwner & { readonly receiver?: string }, limit: number): Promise<number>;
}
