import type { ExecuteHint } from '#core';
import { z } from 'zod';

/** Version that this build writes. A new one is written one release after all workers can read it. */
const VERSION = 1;

const versioned = z.object({ v: z.int().positive() });
const executeJob = z.object({
  v: z.literal(VERSION),
  agentId: z.string().min(1),
  taskId: z.string().min(1),
  turn: z.int().positive(),
  epoch: z.int().nonnegative(),
});

/** Data of a job in an agent's queue. */
export type ExecuteJob = z.infer<typeof executeJob>;

export type ParsedJob =
  | { readonly kind: 'hint'; readonly hint: ExecuteHint }
  /** Written by another release: a worker of that release can read it. */
  | { readonly kind: 'unknown-version'; readonly version: number }
  | { readonly kind: 'malformed'; readonly reason: string };

export const jobData = ({ agentId, taskId, turn, epoch }: ExecuteHint): ExecuteJob => ({
  v: VERSION,
  agentId,
  taskId,
  turn,
  epoch,
});

/** Ids for repetitions; a worker that dies between taking a job and claiming its task uses one up, for the time of its lock. */
const REPETITIONS = 3;

/**
 * The ids that a hint's job may have: the first, and those of its repetitions. The epoch is part of them: a hint given after a
 * lease ended must not be swallowed by the job of the lease before.
 */
export function jobIds({ taskId, turn, epoch }: ExecuteHint): readonly [string, ...string[]] {
  const id = `execute-${taskId}-${turn}-${epoch}`;
  return [id, ...Array.from({ length: REPETITIONS }, (_, n) => `${id}-again-${n + 1}`)];
}

/** What arrived, whoever wrote it. Never throws. */
export function parseJob(data: unknown): ParsedJob {
  const version = versioned.safeParse(data);
  if (!version.success) return { kind: 'malformed', reason: z.prettifyError(version.error) };
  if (version.data.v !== VERSION) return { kind: 'unknown-version', version: version.data.v };
  const job = executeJob.safeParse(data);
  if (!job.success) return { kind: 'malformed', reason: z.prettifyError(job.error) };
  const { agentId, taskId, turn, epoch } = job.data;
  return { kind: 'hint', hint: { agentId, taskId, turn, epoch } };
}
