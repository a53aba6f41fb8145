import type { ThrottledWarning } from '../execution/throttled-warning.js';
import type { Logger } from '../logger.js';
import type { ReconcileStore } from '../ports/reconcile-store.js';

const EVERY_MS = 60_000;
const MOST_AT_A_TIME = 500;
/** Per kind and run; what is left of a backlog is next time's. */
const BATCHES = 20;
const DAY_MS = 86_400_000;

export interface RetentionTimes {
  /** Tasks that ended longer ago are deleted, and what agents remember of contexts without tasks; absent keeps them. */
  readonly retentionMs?: number;
  /** Attempts to deliver push notifications that are older are forgotten. */
  readonly pushLedgerMs: number;
  /** A task to whose push configurations something is owed is kept for so much longer. */
  readonly pushMaxAgeMs: number;
  /** Entries of the audit log that are older are forgotten. */
  readonly auditMs: number;
}

interface Kind {
  readonly name: string;
  readonly purge: (limit: number) => Promise<number>;
  limit: number;
  /** When everything was gone that may go, in milliseconds of the monotonic clock. */
  drained: number;
}

/** Deletes what is of no further use: once a minute, and at every run while there is a backlog. */
export class Retention {
  readonly #kinds: readonly Kind[];
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(
    store: Pick<
      ReconcileStore,
      'purgeTasks' | 'purgeMemories' | 'purgeAnswers' | 'purgeKeys' | 'purgePushAttempts' | 'purgeAuditEntries'
    >,
    { retentionMs, pushLedgerMs, pushMaxAgeMs, auditMs }: RetentionTimes,
    private readonly logger: Logger,
    private readonly failed: ThrottledWarning,
    /** Monotonic, milliseconds. */
    private readonly now: () => number,
  ) {
    const kind = (name: string, purge: Kind['purge']): Kind => ({
      name,
      purge,
      limit: MOST_AT_A_TIME,
      drained: Number.NEGATIVE_INFINITY,
    });
    this.#kinds = [
      ...(retentionMs === undefined
        ? []
        : [
            kind('tasks', (limit) => store.purgeTasks(retentionMs, limit, pushMaxAgeMs)),
            kind('memories', (limit) => store.purgeMemories(retentionMs, limit)),
          ]),
      // The keys that lead to such a row are spent after a day too.
      kind('answers', (limit) => store.purgeAnswers(DAY_MS, limit)),
      kind('keys', (limit) => store.purgeKeys(limit)),
      kind('push attempts', (limit) => store.purgePushAttempts(pushLedgerMs, limit)),
      kind('audit entries', (limit) => store.purgeAuditEntries(auditMs, limit)),
    ];
  }

  /** Deletes what is due; joins the run that is under way. Never rejects: a kind that cannot be deleted keeps no other from it. */
  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
    return this.#running;
  }

  /** No statement is sent any more; waits for the one under way. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    for (const kind of this.#kinds) {
      if (this.#closed || this.now() - kind.drained < EVERY_MS) continue;
      try {
        await this.#drain(kind);
      } catch (err) {
        // Tasks with very many events take long to delete: fewer of them fit into the time of a statement.
        kind.limit = Math.max(1, Math.floor(kind.limit / 4));
        this.failed.warn({ step: `purge ${kind.name}`, err });
      }
    }
  }

  async #drain(kind: Kind): Promise<void> {
    let purged = 0;
    for (let batch = 0; batch < BATCHES && !this.#closed; batch += 1) {
      const deleted = await kind.purge(kind.limit);
      purged += deleted;
      if (deleted >= kind.limit) continue;
      kind.drained = this.now();
      break;
    }
    kind.limit = Math.min(MOST_AT_A_TIME, 2 * kind.limit);
    if (purged > 0) this.logger.info('What is past its time was deleted', { what: kind.name, purged });
  }
}
