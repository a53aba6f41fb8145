import { randomInt } from 'node:crypto';
import { array, asyncProperty, check as checkProperty, stringify, type Arbitrary } from 'fast-check';
import { SILENT, type Logger } from '#core';

/** The same seed makes the same cases: `FUZZ_SEED=… npm test -- test/fuzz`. */
const SEED = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31 - 1));
/** How many times the usual number of cases: `FUZZ_FACTOR=20` for a long night. */
const FACTOR = Number(process.env['FUZZ_FACTOR'] ?? 1);
/** Cases that are under way at once. */
const BATCH = 20;
/** A case that takes so long is one that hangs, however busy the machine is. */
export const HANGS_AFTER_MS = 20_000;

process.stderr.write(`FUZZ_SEED=${SEED}\n`);

/** Fails with the smallest case it finds for which `check` rejects. */
export async function fuzz<Case>(cases: number, arbitrary: Arbitrary<Case>, check: (one: Case) => Promise<void>): Promise<void> {
  const checked = (one: Case): Promise<void> =>
    check(one).catch((error: unknown) => {
      throw new Error(`${error instanceof Error ? error.message : String(error)}\nof the case ${stringify(one)}`);
    });
  const batches = array(arbitrary, { minLength: BATCH, maxLength: BATCH });
  const property = asyncProperty(batches, async (batch) => {
    const results = await Promise.allSettled(batch.map(checked));
    for (const result of results) if (result.status === 'rejected') throw result.reason;
  });
  const run = await checkProperty(property, { seed: SEED, numRuns: Math.ceil((cases * FACTOR) / BATCH) });
  // Neither the batch around the case that failed nor what led to it is of interest.
  if (run.failed) {
    const cause = run.errorInstance instanceof Error ? run.errorInstance.message : String(run.errorInstance);
    throw new Error(`FUZZ_SEED=${SEED}, batch ${run.numRuns}, made smaller ${run.numShrinks} times:\n${cause}`);
  }
}

/** Keeps what a host logs as an error: nothing that a client sends may be one. */
export class ErrorLog {
  readonly errors: string[] = [];
  readonly logger: Logger = {
    ...SILENT,
    error: (message, fields) => void this.errors.push(`${message}: ${String((fields?.['err'] as Error | undefined)?.stack)}`),
  };
}
