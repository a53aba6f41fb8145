/** Whose data is meant; each field that is there narrows it. */
export interface Erasable {
  /** `""` is the tenant without a name. */
  readonly tenant: string;
  readonly principal?: string;
  readonly agentId?: string;
  readonly contextId?: string;
  readonly taskId?: string;
}

/** Deletes data on demand. Every method rejects with StoreUnavailableError when the database cannot be reached. */
export abstract class ErasureStore {
  /** How many tasks `erase` would delete. */
  abstract count(what: Erasable): Promise<number>;

  /**
   * Deletes at most `limit` tasks in whatever state they are, with their events and idempotency keys; resolves with how many. What
   * runs is told at its next append that its lease is gone, and its readers that there is no such task. Nothing of what is written to
   * a task at that moment is left.
   */
  abstract erase(what: Erasable, limit: number): Promise<number>;

  /**
   * Deletes idempotency keys: those of the tasks that are meant, and of tasks that were gone before, whose context nobody knows any
   * more.
   */
  abstract eraseIdempotencyKeys(what: Omit<Erasable, 'contextId'>): Promise<void>;

  /** How many `eraseMemories` would delete. */
  abstract countMemories(what: Erasable): Promise<number>;

  /**
   * Deletes at most `limit` values that agents remember of the contexts that are meant; resolves with how many. With a `taskId` none is
   * meant: what is remembered is of a context.
   */
  abstract eraseMemories(what: Erasable, limit: number): Promise<number>;

  /** How many `eraseApiKeys` would delete. */
  abstract countApiKeys(what: Pick<Erasable, 'tenant' | 'principal'>): Promise<number>;

  /** Deletes the API keys of a tenant, or of one principal of it; resolves with how many. */
  abstract eraseApiKeys(what: Pick<Erasable, 'tenant' | 'principal'>): Promise<number>;
}
