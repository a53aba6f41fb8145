import type { Logger } from '../logger.js';
import { ThrottledWarning } from '../execution/throttled-warning.js';
import { within } from '../execution/within.js';
import { isTaskId } from '../new-id.js';
import type { AuditEntry, AuditLog } from '../ports/audit-log.js';
import { StoreUnavailableError } from '../ports/task-store.js';

export type NewAuditEntry = Omit<AuditEntry, 'at' | 'count'>;

/** What the host itself does or is asked, beside the methods of A2A. */
export const OWN_OPERATIONS = Object.freeze({
  /** A request was refused before it was known what it asks for. */
  admit: 'Admit',
  administrate: 'Administrate',
  erase: 'EraseData',
  redeliver: 'RedeliverPush',
  createKey: 'CreateApiKey',
  revokeKey: 'RevokeApiKey',
  rotatePushKey: 'RotatePushKey',
  /** Entries that could not be stored: `count` is how many. */
  loss: 'AuditLoss',
});

export interface AuditTrailOptions {
  /** Also calls that change nothing. */
  readonly reads: boolean;
  /** Most entries that wait to be stored; more are lost, and counted. */
  readonly most?: number;
  readonly flushMs?: number;
  readonly retryMs?: number;
  /** Refusals that are alike are one entry for as long. */
  readonly windowMs?: number;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

const MOST = 10_000;
const FLUSH_MS = 250;
const RETRY_MS = 1000;
const WINDOW_MS = 60_000;
const MOST_AT_A_TIME = 500;
const CLOSE_MS = 2000;
/** Kinds of refusals that are told apart within a window; the addresses and names of further ones are left out. */
const MOST_KINDS = 1000;
const MOST_CHARACTERS = 256;

/**
 * What a process has to say to the audit log: kept in memory for a moment, stored in batches, never waited for. What does not fit, because
 * the database is away for long, is lost: that is logged, counted, and itself an entry once the database is back.
 */
export class AuditTrail {
  readonly reads: boolean;
  readonly #now: () => number;
  readonly #options: Required<Pick<AuditTrailOptions, 'most' | 'flushMs' | 'retryMs' | 'windowMs'>>;
  readonly #failed: ThrottledWarning;
  #waiting: AuditEntry[] = [];
  /** Of this window, by kind; the count is that of the ones after the first. */
  readonly #refusals = new Map<string, { readonly entry: NewAuditEntry; count: number }>();
  #windowEnds: NodeJS.Timeout | undefined;
  #lost = 0;
  #timer: NodeJS.Timeout | undefined;
  #storing: Promise<boolean> | undefined;
  #closed = false;

  constructor(
    private readonly log: Pick<AuditLog, 'record'>,
    logger: Logger,
    { reads, most = MOST, flushMs = FLUSH_MS, retryMs = RETRY_MS, windowMs = WINDOW_MS, now = Date.now }: AuditTrailOptions,
  ) {
    this.reads = reads;
    this.#options = { most, flushMs, retryMs, windowMs };
    this.#now = now;
    this.#failed = new ThrottledWarning(logger, 'Entries of the audit log cannot be stored now');
  }

  add(entry: NewAuditEntry): void {
    this.#enqueue({ ...entry, at: this.#now() });
  }

  /** A refusal: the first of its kind is stored at once, the others of the next minute together, however many they are. */
  addRefusal(entry: NewAuditEntry): void {
    const kind = kindOf(entry);
    const known = this.#refusals.get(kind);
    if (known) {
      known.count += 1;
      return;
    }
    if (this.#refusals.size >= MOST_KINDS && isNamed(entry)) {
      const { source, operation, outcome } = entry;
      this.addRefusal({ source, operation, outcome });
      return;
    }
    this.add(entry);
    this.#refusals.set(kind, { entry, count: 0 });
    this.#windowEnds ??= setTimeout(() => this.#endWindow(), this.#options.windowMs).unref();
  }

  /** Stores what there is; what cannot be stored within two seconds is lost. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#windowEnds);
    clearTimeout(this.#timer);
    this.#endWindow();
    await within(this.#drain(), CLOSE_MS);
    if (this.#waiting.length > 0) this.#failed.warn({ lost: this.#lost + this.#waiting.length });
  }

  #endWindow(): void {
    this.#windowEnds = undefined;
    const refusals = [...this.#refusals.values()];
    this.#refusals.clear();
    for (const { entry, count } of refusals) if (count > 0) this.#enqueue({ ...entry, at: this.#now(), count });
  }

  #enqueue(entry: AuditEntry): void {
    if (this.#waiting.length >= this.#options.most) this.#lost += entry.count ?? 1;
    else this.#waiting.push(entry);
    this.#schedule(this.#options.flushMs);
  }

  #schedule(ms: number): void {
    if (this.#timer || this.#storing || this.#closed) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#flush();
    }, ms).unref();
  }

  async #flush(): Promise<void> {
    this.#storing = this.#store();
    const stored = await this.#storing;
    this.#storing = undefined;
    if (this.#waiting.length > 0 || this.#lost > 0) this.#schedule(stored ? this.#options.flushMs : this.#options.retryMs);
  }

  async #drain(): Promise<void> {
    await this.#storing;
    while (this.#waiting.length > 0 && (await this.#store()));
  }

  /** All that waits, in batches, and how much was lost. False when it cannot be stored now; never rejects. */
  async #store(): Promise<boolean> {
    while (this.#waiting.length > 0 || this.#lost > 0) {
      const batch = this.#waiting.slice(0, MOST_AT_A_TIME).map(presentable);
      const lost = this.#lost;
      try {
        await this.log.record([...batch, ...(lost === 0 ? [] : [lossOf(lost, this.#now())])]);
        this.#lost -= lost;
      } catch (err) {
        this.#failed.warn({ waiting: this.#waiting.length, lost, err });
        if (err instanceof StoreUnavailableError || batch.length === 0) return false;
        // What is refused now is refused for ever.
        this.#lost += batch.length;
      }
      this.#waiting.splice(0, batch.length);
    }
    return true;
  }
}

const lossOf = (count: number, at: number): AuditEntry => ({
  ...{ at, count, source: 'host', operation: OWN_OPERATIONS.loss, outcome: 'LOST' },
});

const isNamed = ({ source: _, operation: _also, outcome: _too, ...names }: NewAuditEntry): boolean =>
  Object.values(names).some((name) => name !== undefined);

const kindOf = ({ source, operation, outcome, tenant, principal, credentialId, agentId, address }: NewAuditEntry): string =>
  JSON.stringify([source, operation, outcome, tenant, principal, credentialId, agentId, address]);

/**
 * Names come from tokens and clients: without what a database or a terminal would choke on, and no longer than a name is. A context whose
 * name is no UUID was named by its client, with who knows what.
 */
const presentable = ({ contextId, ...entry }: AuditEntry): AuditEntry =>
  Object.fromEntries(
    Object.entries(contextId !== undefined && isTaskId(contextId) ? { ...entry, contextId } : entry).map(([field, value]) => [
      field,
      typeof value === 'string' ? value.slice(0, MOST_CHARACTERS).replace(/[\p{Cc}\p{Cs}]/gu, '\uFFFD') : value,
    ]),
  ) as unknown as AuditEntry;
