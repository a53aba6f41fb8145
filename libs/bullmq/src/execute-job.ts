import type { ExecuteHint } from '#core';
import { z } from 'zod';

/** Version that this build writes. A new one is written one release after all workers can read it. */
const VERSION = 1;

const versioned = z.object({ v: z.int().positive() });
const executeJob = z.object({
  v: z.literal(VERSION),
  agentId: z.string().min(1),
  turns: z.array(z.object({ taskId: z.string().min(1), turn: z.int().positive(), epoch: z.int().nonnegative() })).nonempty(),
});

/** Data of a job in an agent's queue: the hints that were given at one moment. */
export type ExecuteJob = z.infer<typeof executeJob>;

export type ParsedJob =
  | { readonly kind: 'hints'; readonly hints: readonly ExecuteHint[] }
  /** Written by another release: a worker of that release can read it. */
  | { readonly kind: 'unknown-version'; readonly version: number }
  | { readonly kind: 'malformed'; readonly reason: string };

export const jobData = (agentId: string, hints: readonly ExecuteHint[]): ExecuteJob => ({
  v: VERSION,
  agentId,
  turns: hints.map(({ taskId, turn, epoch }) => ({ taskId, turn, epoch })) as ExecuteJob['turns'],
});

/** Ids for repetitions; a worker that dies with a job that it has just taken uses one up, for the time of its lock. */
const REPETITIONS = 3;

/**
 * The ids that the job of a single hint may have: the first, and those of its repetitions. The epoch is part of them: a hint given after a
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
  const { agentId, turns } = job.data;
  return { kind: 'hints', hints: turns.map(({ taskId, turn, epoch }) => ({ agentId, taskId, turn, epoch })) };
}
