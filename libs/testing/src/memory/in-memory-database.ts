import { StoreUnavailableError, type StoredApiKey, type StoredAuditEntry } from '#core';
import type { NotificationKeyRow, PushConfigRow, PushDeliveryRow } from './push-rows.js';
import type { AgentRow, IdempotencyKey, TaskRow } from './rows.js';

/** A value that an agent remembers of a context. */
export interface Memory {
  readonly tenant: string;
  readonly owner: string;
  readonly agentId: string;
  readonly contextId: string;
  readonly key: string;
  readonly value: string;
  readonly updatedAt: number;
}

export interface InMemoryDatabaseOptions {
  /** The database's clock, in milliseconds since the epoch. */
  readonly now?: () => number;
}

/**
 * What the in-memory stores of one test share, as the processes of a deployment share Postgres. Each call is one
 * statement: it happens at once, and nothing else happens in between.
 */
export class InMemoryDatabase {
  readonly tasks = new Map<string, TaskRow>();
  readonly keys = new Map<string, IdempotencyKey>();
  readonly agents = new Map<string, AgentRow>();
  readonly apiKeys = new Map<string, StoredApiKey>();
  /** By task and id. */
  readonly pushConfigs = new Map<string, PushConfigRow>();
  pushDeliveries: PushDeliveryRow[] = [];
  notificationKeys: NotificationKeyRow[] = [];
  memories: Memory[] = [];
  auditEntries: StoredAuditEntry[] = [];
  auditEntryCount = 0;
  /** Per worker: when it was last seen, and the ids of the agents that it hosts. */
  readonly workers = new Map<string, { seenAt: number; agentIds: readonly string[] }>();
  /** False makes every call reject with StoreUnavailableError and do nothing. */
  available = true;
  /**
   * Runs before (`request`) and after (`answer`) each call, named as the port's method: it may hold the call, or throw.
   * A call whose answer throws has happened all the same.
   */
  gate: (call: string, phase: 'request' | 'answer') => Promise<void> | void = () => {};
  readonly #clock: () => number;
  #offset = 0;

  constructor(options: InMemoryDatabaseOptions = {}) {
    this.#clock = options.now ?? Date.now;
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#clock() + this.#offset;
  }

  /** Sets the clock forward. */
  advance(milliseconds: number): void {
    this.#offset += milliseconds;
  }

  /** Runs `work` as one statement. Rejects with StoreUnavailableError while the database is not available. */
  async call<T>(name: string, work: () => T): Promise<T> {
    await this.gate(name, 'request');
    if (!this.available) throw new StoreUnavailableError('The in-memory database was made unavailable');
    const answer = work();
    await this.gate(name, 'answer');
    return answer;
  }
}
