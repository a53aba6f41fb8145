import type { ExpiredLease } from '../ports/reconcile-store.js';

/**
 * A lease is reaped only when the same sweeper has seen it expired twice, one heartbeat apart. After a store
 * outage every lease looks expired; the living renew theirs within a heartbeat.
 */
export class ExpiredSightings {
  #first = new Map<string, number>();
  #lastRead = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly heartbeatMs: number,
    /** Longest distance of two reads, or duration of one, before it counts as an outage and earlier sightings as none. */
    private readonly outageMs: number,
  ) {}

  /** The leases to reap, of those that a read sent at `sent` and answered at `answered` (monotonic milliseconds) has seen. */
  see(leases: readonly ExpiredLease[], sent: number, answered: number): readonly ExpiredLease[] {
    const outage = answered - sent > this.outageMs || sent - this.#lastRead > this.outageMs;
    const known = outage ? new Map<string, number>() : this.#first;
    this.#lastRead = answered;
    this.#first = new Map(
      leases.map((lease) => {
        const key = `${lease.taskId}/${lease.epoch}`;
        return [key, known.get(key) ?? answered];
      }),
    );
    return leases.filter(({ taskId, epoch }) => sent - (this.#first.get(`${taskId}/${epoch}`) as number) >= this.heartbeatMs);
  }
}
