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

/**
 * The epoch is part of it: a hint given after a lease ended must not be swallowed by the job of the lease before. So is the
 * repetition: a job that a dead worker took, and never claimed with, would swallow every further hint until its lock expires.
 */
export const jobId = ({ taskId, turn, epoch, repeat }: ExecuteHint): string =>
  `execute-${taskId}-${turn}-${epoch}${repeat === undefined ? '' : `-${repeat}`}`;

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
