import type { PushLedger, PushOwner } from '../ports/push-ledger.js';

const BATCH = 500;

/** Makes all that was given up due again; resolves with how many configurations there were. */
export async function redeliverDead(
  ledger: Pick<PushLedger, 'redeliverDead'>,
  dead: PushOwner & { readonly receiver?: string },
): Promise<number> {
  for (let total = 0; ;) {
    const count = await ledger.redeliverDead(dead, BATCH);
    total += count;
    if (count < BATCH) return total;
  }
}
