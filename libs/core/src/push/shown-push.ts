import type { LedgerEntry, PushConfigState } from '../ports/push-ledger.js';

/** A configuration as operators are shown it, by the command and over HTTP. */
export interface ShownPushConfig {
  readonly taskId: string;
  readonly configId: string;
  readonly tenant: string;
  readonly agent: string;
  readonly receiver: string;
  /** `dead`: given up. */
  readonly state: PushConfigState['state'];
  /** The last event that was delivered or is not for this receiver, and the task's last. */
  readonly delivered: number;
  readonly last: number;
  /** In a row. */
  readonly failures: number;
  readonly failingSince?: string;
  readonly deadSince?: string;
}

/** An attempt as operators are shown it. */
export interface ShownPushAttempt {
  readonly configId: string;
  readonly event: number;
  readonly attempt: number;
  readonly outcome: LedgerEntry['outcome'];
  readonly httpStatus?: number;
  readonly error?: string;
  readonly startedAt: string;
  readonly durationMs: number;
}

export const shownPushConfig = (config: PushConfigState): ShownPushConfig => ({
  ...{
    taskId: config.taskId,
    configId: config.configId,
    tenant: config.tenant,
    agent: config.agentId,
    receiver: config.receiver,
  },
  ...{ state: config.state, delivered: config.cursor, last: config.sequence, failures: config.failures },
  ...(config.failingSince === undefined ? {} : { failingSince: timeOf(config.failingSince) }),
  ...(config.deadAt === undefined ? {} : { deadSince: timeOf(config.deadAt) }),
});

export const shownPushAttempt = (entry: LedgerEntry): ShownPushAttempt => ({
  ...{ configId: entry.configId, event: entry.sequence, attempt: entry.attempt, outcome: entry.outcome },
  ...(entry.httpStatus === undefined ? {} : { httpStatus: entry.httpStatus }),
  ...(entry.error === undefined ? {} : { error: entry.error }),
  ...{ startedAt: timeOf(entry.startedAt), durationMs: entry.durationMs },
});

const timeOf = (milliseconds: number): string => new Date(milliseconds).toISOString();
