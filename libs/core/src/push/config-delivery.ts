import type { ThrottledWarning } from '../execution/throttled-warning.js';
import type { Logger } from '../logger.js';
import type { NotificationSender, SendResult } from '../ports/notification-sender.js';
import type { PushAttempt, PushClaim, PushDeliveryStore, PushSettled } from '../ports/push-delivery-store.js';
import { StoreUnavailableError } from '../ports/task-store.js';
import { backOffMs } from './back-off.js';
import { notificationContent, notificationId, type NotificationContent } from './notification-content.js';
import { type Owed, planNotifications } from './notification-plan.js';
import type { Receivers } from './receivers.js';
import { TaskReplay } from './task-replay.js';

export interface ConfigDeliveryParts {
  readonly store: PushDeliveryStore;
  readonly sender: NotificationSender;
  readonly receivers: Pick<Receivers, 'well' | 'ill'>;
  readonly logger: Logger;
  readonly failed: ThrottledWarning;
}

export interface DeliveryTimes {
  readonly leaseMs: number;
  /** A configuration that has failed for longer is given up. */
  readonly maxAgeMs: number;
}

export interface DeliveryEnd {
  readonly delivered: number;
  /** There is, or may be, more to deliver at once. */
  readonly more: boolean;
}

/** Then others have their turn. */
const MOST_AT_A_TIME = 50;
const PAGE = 32;
const RETRY = { firstMs: 1000, mostMs: 300_000 };
/** A receiver may ask for a longer pause than ours, within reason. */
const LONGEST_PAUSE_MS = 3_600_000;
/** Of a configuration that waits for the rest of an artifact: a hint that got lost costs this much. */
const OPEN_RUN_MS = 5000;
const SETTLE_TRIES = 4;
const SETTLE_RETRY_MS = 250;

/** One configuration's notifications, one after the other: the next is sent when the one before is delivered. */
export class ConfigDelivery {
  readonly #replay: TaskReplay;
  #cursor: number;
  #seen: number;
  #failures: number;
  #delivered = 0;

  constructor(
    private readonly claim: PushClaim,
    private readonly parts: ConfigDeliveryParts,
    private readonly times: DeliveryTimes,
    /** Ends it without counting an attempt. */
    private readonly signal: AbortSignal,
  ) {
    this.#cursor = this.#seen = claim.cursor;
    this.#failures = claim.failures;
    this.#replay = new TaskReplay(parts.store, claim.fence.taskId);
  }

  /** Until nothing is owed, an attempt fails, or others wait. Never rejects: a lease that could not be released expires. */
  async run(): Promise<DeliveryEnd> {
    try {
      return { more: await this.#deliver(), delivered: this.#delivered };
    } catch (err) {
      if (!this.signal.aborted) this.parts.failed.warn({ ...this.#about, err });
      return { more: false, delivered: this.#delivered };
    }
  }

  get #about(): { taskId: string; configId: string; receiver: string } {
    const { fence, receiver } = this.claim;
    return { taskId: fence.taskId, configId: fence.configId, receiver };
  }

  async #deliver(): Promise<boolean> {
    for (;;) {
      // With the event at the cursor, which tells the state before.
      const log = await this.parts.store.read(this.claim.fence.taskId, Math.max(0, this.#cursor - 1), PAGE);
      if (!log) return false;
      const { owed, passedTo, seen, finished } = planNotifications(log.events, this.#cursor, this.claim.everyEvent);
      const isAll = log.events.length < PAGE;
      this.#seen = seen;
      for (const [index, one] of owed.entries()) {
        if (this.#delivered >= MOST_AT_A_TIME || this.signal.aborted) return this.#release();
        const last = index === owed.length - 1 && one.event.sequence === passedTo;
        const settled = await this.#tell(one, { ends: isAll && last, finished: finished && last });
        if (settled !== 'next') return settled;
      }
      this.#cursor = passedTo;
      if (isAll) return this.#release(finished, passedTo < seen ? OPEN_RUN_MS : 0);
    }
  }

  /** One notification. `next`: the lease is kept, go on; otherwise it is over, with whether there is more. */
  async #tell(owed: Owed, { ends, finished }: { ends: boolean; finished: boolean }): Promise<'next' | boolean> {
    const { sequence } = owed.event;
    const content = await notificationContent(owed, this.claim.protocolVersion, this.#replay);
    if (!content) return false;
    const startedAt = performance.now();
    const result = await this.#send(sequence, content);
    if (!result) return this.#release();
    const durationMs = Math.round(performance.now() - startedAt);
    const attempt = { ...entryOf(result), sequence, attempt: this.#failures + 1, durationMs };
    if (result.outcome !== 'delivered') return this.#failedWith(attempt, result);
    this.parts.receivers.well(this.claim.receiver);
    this.#cursor = sequence;
    this.#failures = 0;
    this.#delivered += 1;
    const { outcome, more } = await this.#settle({ finished, attempt, dueInMs: 0, keeps: !ends });
    if (outcome === 'fenced') return false;
    return ends ? more : 'next';
  }

  /** Undefined when it was abandoned: nobody knows whether it arrived. */
  async #send(sequence: number, content: NotificationContent): Promise<SendResult | undefined> {
    const { fence, url, receiver, scheme, secrets } = this.claim;
    const { taskId, configId } = fence;
    const id = notificationId(taskId, configId, sequence);
    const sealed = { ...(scheme === undefined ? {} : { scheme }), ...(secrets === undefined ? {} : { secrets }) };
    try {
      return await this.parts.sender.send({ taskId, configId, id, url, receiver, ...sealed, ...content }, this.signal);
    } catch (error) {
      if (this.signal.aborted) return undefined;
      throw error;
    }
  }

  async #failedWith(attempt: PushAttempt, result: Exclude<SendResult, { outcome: 'delivered' }>): Promise<false> {
    const { receivers, failed, logger } = this.parts;
    if (result.ill) receivers.ill(this.claim.receiver);
    else receivers.well(this.claim.receiver);
    this.#failures += 1;
    failed.warn({ ...this.#about, sequence: attempt.sequence, attempt: attempt.attempt, reason: result.error });
    const asked = Math.min(result.retryAfterMs ?? 0, LONGEST_PAUSE_MS);
    const dueInMs = Math.max(backOffMs(this.#failures, RETRY), asked);
    const { outcome } = await this.#settle({ finished: false, attempt, dueInMs, keeps: false });
    if (outcome === 'dead') {
      logger.warn('A push configuration was given up; its notifications wait for redelivery', {
        ...this.#about,
        sequence: attempt.sequence,
        reason: result.error,
      });
    }
    return false;
  }

  async #release(finished = false, dueInMs = 0): Promise<boolean> {
    const { outcome, more } = await this.#settle({ finished, dueInMs, keeps: false });
    // What is beyond our reading is owed as well.
    return outcome === 'settled' && !finished && (more || (dueInMs === 0 && this.#cursor < this.#seen));
  }

  async #settle({
    keeps,
    ...rest
  }: {
    finished: boolean;
    attempt?: PushAttempt;
    dueInMs: number;
    keeps: boolean;
  }): Promise<PushSettled> {
    const settlement = {
      ...rest,
      fence: this.claim.fence,
      cursor: this.#cursor,
      seen: this.#seen,
      maxAgeMs: this.times.maxAgeMs,
      ...(keeps ? { leaseMs: this.times.leaseMs } : {}),
    };
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.parts.store.settle(settlement);
      } catch (error) {
        if (tries === SETTLE_TRIES || !(error instanceof StoreUnavailableError)) throw error;
        await new Promise((resolve) => setTimeout(resolve, SETTLE_RETRY_MS * 2 ** tries));
      }
    }
  }
}

const entryOf = (result: SendResult): Pick<PushAttempt, 'outcome' | 'httpStatus' | 'error'> => ({
  outcome: result.outcome,
  ...(result.httpStatus === undefined ? {} : { httpStatus: result.httpStatus }),
  ...(result.outcome === 'delivered' ? {} : { error: result.error }),
});
