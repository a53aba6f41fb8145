import type { Logger } from '../logger.js';
import type { Claim, RecoveryPolicy, TurnStore } from '../ports/turn-store.js';
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
 * Gives a claimed turn back to whoever takes it next: the lease ends at once, no attempt is counted, and the hint for it
 * is out before this resolves. An agent that may not be retried is FAILED instead. Never rejects: a lease that could not
 * be released is reaped.
 */
export async function handBack(claim: Claim, policy: RecoveryPolicy, parts: HandBackParts): Promise<void> {
  const { store, queue, publisher, clock, logger } = parts;
  const { fence, agentId, origin, tenant } = claim;
  const fields = { tenant, agentId, taskId: fence.taskId, turn: claim.turn };
  const at = clock.now();
  const failure = endingStatus(claim.task, at, {
    message: hostMessage(claim.task, 'The worker that ran this task was shut down, and the agent does not allow another attempt'),
  });
  try {
    const released = await repeat(() => store.release(fence, policy, failure, endingStatus(claim.task, at)));
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
