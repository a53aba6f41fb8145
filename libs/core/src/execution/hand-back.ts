import type { Logger } from '../logger.js';
import type { Claim, RecoveryPolicy, Released, TurnStore } from '../ports/turn-store.js';
import type { WorkQueue } from '../ports/work-queue.js';
import type { DatabaseClock } from './database-clock.js';
import type { EventPublisher } from './event-publisher.js';
import { endingStatus, hostMessage } from './status-event.js';

/** The process is about to end: what is not done now waits for a sweep. */
const ATTEMPTS = 4;
const RETRY_MS = 250;

export interface HandBackParts {
  readonly store: Pick<TurnStore, 'release'>;
  readonly queue: Pick<WorkQueue, 'enqueue'>;
  readonly publisher: EventPublisher;
  readonly clock: Pick<DatabaseClock, 'now'>;
  readonly logger: Logger;
}

/**
 * Why a turn is given back before its end:
 * - `drain`: the worker leaves.
 * - `paused`: the process was paused for so long that the lease may be another's.
 * - `outage`: the store was away for too long.
 * - `refused`: the store takes nothing of what the agent yields, and would not in another attempt.
 */
export type HandBackReason = 'drain' | 'paused' | 'outage' | 'refused';

/** What a client reads when the turn ends with it. */
const FAILURES: Readonly<Record<HandBackReason, string>> = {
  drain: 'The worker that ran this task was shut down, and the agent does not allow another attempt',
  paused: 'The process that ran this task was paused for too long, and the agent allows no further attempt',
  outage: 'The store of the worker that ran this task was away for too long, and the agent does not allow another attempt',
  refused: "The agent's output could not be recorded",
};

/**
 * Gives a claimed turn back to whoever takes it next: the lease ends at once, and the hint for it is out before this resolves.
 * Only a pause counts as a lost attempt: an agent that blocks its process would else do so for ever. An agent that may not be
 * retried is FAILED instead. Never rejects: a lease that could not be released is reaped.
 */
export async function handBack(
  claim: Claim,
  policy: RecoveryPolicy,
  reason: HandBackReason,
  parts: HandBackParts,
): Promise<void> {
  const { publisher, queue, logger } = parts;
  const { fence, agentId, origin, tenant } = claim;
  const fields = { tenant, agentId, taskId: fence.taskId, turn: claim.turn, reason };
  try {
    const released = await release(claim, policy, reason, parts);
    if (released.event) publisher.publish(origin, fence.taskId, [released.event]);
    logger.info('A running turn was handed back', { ...fields, outcome: released.outcome });
    if (released.outcome === 'released') {
      const hint = { agentId, taskId: fence.taskId, turn: released.turn, epoch: released.epoch };
      await repeat(() => queue.enqueue([hint]));
    }
  } catch (err) {
    logger.warn('A running turn could not be handed back at once; the reconciler moves it on', { ...fields, err });
  }
}

/** A try whose answer was lost may have ended the lease: the next one finds it gone, and that is taken for its answer. */
async function release(claim: Claim, policy: RecoveryPolicy, reason: HandBackReason, parts: HandBackParts): Promise<Released> {
  const { store, clock } = parts;
  const { fence, task, turn } = claim;
  const at = clock.now();
  const failed = endingStatus(task, at, { message: hostMessage(task, FAILURES[reason]) });
  const request = {
    fence,
    policy: reason === 'refused' ? { ...policy, recovery: 'fail' as const } : policy,
    countsAttempt: reason === 'paused',
    failed,
    canceled: endingStatus(task, at),
  };
  let unknown = false;
  const released = await repeat(() =>
    store.release(request).catch((err: unknown) => {
      unknown = true;
      throw err;
    }),
  );
  if (released.outcome !== 'fenced' || !unknown) return released;
  return { outcome: 'released', turn, epoch: fence.epoch + 1 };
}

async function repeat<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (err) {
      if (attempt === ATTEMPTS) throw err;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
