import { isTaskId, type AuditQuery, type StoredAuditEntry } from '#core';
import { ConfigError } from '#platform';
import { PostgresAuditLog } from '#postgres';
import { withDatabase } from '../with-database.js';
import { parseSince } from './since.js';

/** As they come from the command line. */
export interface AuditOptions {
  readonly tenant?: string;
  readonly principal?: string;
  readonly agent?: string;
  readonly task?: string;
  readonly operation?: string;
  readonly outcome?: string;
  readonly since?: string;
  readonly until?: string;
  readonly before?: string;
  readonly limit: string;
}

/** Entries of the audit log, the newest first. @throws ConfigError for options that cannot be, or as `withDatabase` */
export async function listEntries(options: AuditOptions): Promise<readonly StoredAuditEntry[]> {
  const query = queryOf(options, Date.now());
  return withDatabase((pools) => new PostgresAuditLog(pools).list(query));
}

function queryOf({ agent, task, since, until, before, limit, ...like }: AuditOptions, now: number): AuditQuery {
  if (task !== undefined && !isTaskId(task)) throw new ConfigError(`--task ${task} is not the id of a task`);
  return {
    ...like,
    ...(agent === undefined ? {} : { agentId: agent }),
    ...(task === undefined ? {} : { taskId: task }),
    ...(since === undefined ? {} : { since: timeOf('--since', since, now) }),
    ...(until === undefined ? {} : { until: timeOf('--until', until, now) }),
    ...(before === undefined ? {} : { before: numberOf('--before', before) }),
    limit: numberOf('--limit', limit),
  };
}

function timeOf(option: string, text: string, now: number): number {
  const time = parseSince(text, now);
  if (time === undefined)
    throw new ConfigError(`${option} ${text} is not a time, as 30m, 12h, 7d, 2027-01-31 or 2027-01-31T18:00Z`);
  return time;
}

function numberOf(option: string, text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new ConfigError(`${option} ${text} is not a whole number from 1`);
  return Number(text);
}
