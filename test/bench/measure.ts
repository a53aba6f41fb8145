import type { LoadResult } from './load/closed-loop.js';
import type { LoadGenerator } from './load/load-generator.js';
import { STREAM_FRAMES, type Scenario } from './scenarios.js';
import type { Target } from './target.js';

export interface Pace {
  readonly rounds: number;
  /** For each server, before the first scenario: a fresh process has compiled nothing yet, and runs at a third of its rate. */
  readonly startUpMs: number;
  /** For each run. */
  readonly warmUpMs: number;
  readonly measureMs: number;
}

export interface Measured {
  readonly key: string;
  readonly title: string;
  readonly connections: number;
  /** Median of the rounds. */
  readonly chorus: LoadResult;
  readonly sdk: LoadResult;
  /** Chorus's rate to the SDK's: the median over the rounds, each of which ran both one after the other. Above 1 Chorus is better. */
  readonly ratio: number;
}

/** Bounds a run in count too: the SDK keeps every task in memory. */
const MAX_REQUESTS = 100_000;

/** Lets both servers compile what they run. */
export async function warmUp(targets: readonly Target[], load: LoadGenerator, { startUpMs }: Pace): Promise<void> {
  for (const { port } of targets) {
    const job = { port, connections: 50, warmUpMs: 0, measureMs: startUpMs / 2, maxRequests: MAX_REQUESTS };
    await load.run({ ...job, plan: { kind: 'send', agentId: 'echo' } });
    await load.run({ ...job, plan: { kind: 'stream', agentId: 'hundred', frames: STREAM_FRAMES } });
  }
}

/** Runs a scenario against both servers, in turns, so that what else the machine does falls on both. */
export async function measure(
  scenario: Scenario,
  chorus: Target,
  sdk: Target,
  load: LoadGenerator,
  pace: Pace,
): Promise<Measured> {
  const plans = new Map([chorus, sdk].map((target) => [target, scenario.prepare(target)] as const));
  const results = new Map<Target, LoadResult[]>([
    [chorus, []],
    [sdk, []],
  ]);
  for (let round = 0; round < pace.rounds; round += 1) {
    for (const target of round % 2 === 0 ? [chorus, sdk] : [sdk, chorus]) {
      const plan = await plans.get(target)!;
      const { warmUpMs, measureMs } = pace;
      const { connections } = scenario;
      results
        .get(target)!
        .push(await load.run({ port: target.port, connections, warmUpMs, measureMs, maxRequests: MAX_REQUESTS, plan }));
    }
  }
  const [ours, theirs] = [results.get(chorus)!, results.get(sdk)!];
  const { key, title, connections } = scenario;
  const ratio = median(ours.map(({ perSecond }, round) => perSecond / theirs[round]!.perSecond));
  return { key, title, connections, chorus: middle(ours), sdk: middle(theirs), ratio };
}

export const median = (numbers: readonly number[]): number => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const at = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(at)] as number) + (sorted[Math.ceil(at)] as number)) / 2;
};

function middle(results: readonly LoadResult[]): LoadResult {
  const of = (pick: (result: LoadResult) => number): number => median(results.map(pick));
  const firstError = results.find((result) => result.firstError !== undefined)?.firstError;
  return {
    requests: results.reduce((sum, { requests }) => sum + requests, 0),
    perSecond: of(({ perSecond }) => perSecond),
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    errors: results.reduce((sum, { errors }) => sum + errors, 0),
    ...(firstError === undefined ? {} : { firstError }),
  };
}
