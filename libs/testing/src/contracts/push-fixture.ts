import type { PushClaim, PushClaimRequest, PushSettlement } from '#core';
import { Life, artifact, status, type StoredPushConfig, type Stores } from './store-fixture.js';

let receivers = 0;

/** A receiver that no other test uses. */
export const freshReceiver = (): string => `https://receiver-${process.pid}-${(receivers += 1)}.example`;

/** The steps of a push configuration's life, over any adapter. */
export class PushLife {
  readonly life: Life;
  readonly receiver = freshReceiver();

  constructor(
    private readonly stores: Stores,
    private readonly owner = 'dispatcher-1',
  ) {
    this.life = new Life(stores);
  }

  /** A task that is accepted, WORKING, has an artifact and is COMPLETED: events 1 to 4. */
  async task(config: Partial<StoredPushConfig> = {}): Promise<string> {
    const { taskId } = await this.life.accept();
    const claim = await this.life.claim(taskId);
    const events = [status(taskId, 'TASK_STATE_WORKING'), artifact(taskId, 'x'), status(taskId, 'TASK_STATE_COMPLETED')];
    await this.life.append(claim, 1, events, { endsTurn: true });
    await this.config(taskId, config);
    return taskId;
  }

  async config(taskId: string, more: Partial<StoredPushConfig> = {}): Promise<void> {
    const { receiver } = this;
    const config = { taskId, id: 'config', receiver, everyEvent: false, protocolVersion: '1.0' as const, cursor: 0, ...more };
    await this.stores.addPushConfig(config);
  }

  claimDue(more: Partial<PushClaimRequest>) {
    const request = { owner: this.owner, leaseMs: 60_000, limit: 100, perReceiver: 100, rooms: new Map(), ...more };
    return this.stores.pushes.claimDue(request);
  }

  async claims(...taskIds: string[]): Promise<readonly PushClaim[]> {
    return (await this.claimDue({ taskIds })).claims;
  }

  async claim(taskId: string): Promise<PushClaim> {
    const [claim] = await this.claims(taskId);
    if (!claim) throw new Error('nothing was claimed');
    return claim;
  }

  settle(claim: PushClaim, more: Partial<PushSettlement> = {}) {
    const { fence, cursor } = claim;
    return this.stores.pushes.settle({ fence, cursor, seen: cursor, finished: false, dueInMs: 0, maxAgeMs: 60_000, ...more });
  }

  /** An attempt on event `sequence`. */
  delivered = (sequence: number) => ({ sequence, attempt: 1, outcome: 'delivered' as const, httpStatus: 200, durationMs: 5 });
  failed = (sequence: number, attempt = 1) => ({
    ...{ sequence, attempt, outcome: 'failed' as const, httpStatus: 503, error: 'The receiver answered 503', durationMs: 5 },
  });
}
