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
   * runs is told at its next append that its lease is gone, and its readers that there is no such task.
   */
  abstract erase(what: Erasable, limit: number): Promise<number>;

  /** How many `eraseApiKeys` would delete. */
  abstract countApiKeys(what: Pick<Erasable, 'tenant' | 'principal'>): Promise<number>;

  /** Deletes the API keys of a tenant, or of one principal of it; resolves with how many. */
  abstract eraseApiKeys(what: Pick<Erasable, 'tenant' | 'principal'>): Promise<number>;
}
