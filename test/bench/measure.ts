import type { ChorusTarget } from './chorus-target.js';
import type { LoadResult } from './load/closed-loop.js';
import type { LoadGenerator } from './load/load-generator.js';
import type { RequestPlan } from './load/requests.js';
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

/** The binding that is asked for speed beside the one that everything else is measured with, on the same processes. */
export interface MeasuredGrpc {
  readonly key: string;
  readonly title: string;
  readonly connections: number;
  readonly grpc: LoadResult;
  readonly jsonRpc: LoadResult;
  /** gRPC's rate to JSON-RPC's. */
  readonly ratio: number;
}

/** Its name among the ratios. */
export const GRPC_KEY = 'grpc_send_c50';

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

/** Runs a scenario against both servers. */
export async function measure(
  { key, title, connections, prepare }: Scenario,
  chorus: Target,
  sdk: Target,
  load: LoadGenerator,
  pace: Pace,
): Promise<Measured> {
  const sideOf = async (target: Target): Promise<Side> => ({ port: target.port, plan: await prepare(target) });
  const sides = [await sideOf(chorus), await sideOf(sdk)] as const;
  const { first, second, ratio } = await inTurns(sides, connections, load, pace);
  return { key, title, connections, chorus: first, sdk: second, ratio };
}

/** A blocking SendMessage over gRPC, over one connection as gRPC clients have it, beside the same over JSON-RPC. */
export async function measureGrpc(chorus: ChorusTarget, load: LoadGenerator, pace: Pace): Promise<MeasuredGrpc> {
  const connections = 50;
  const sides = [
    { port: chorus.grpcPort, plan: { kind: 'grpc-send', agentId: 'echo' } },
    { port: chorus.port, plan: { kind: 'send', agentId: 'echo' } },
  ] as const;
  await load.run({ ...sides[0], connections, warmUpMs: 0, measureMs: pace.startUpMs / 2, maxRequests: MAX_REQUESTS });
  const { first, second, ratio } = await inTurns(sides, connections, load, pace);
  const title = `blocking SendMessage over gRPC, ${connections} at once`;
  return { key: GRPC_KEY, title, connections, grpc: first, jsonRpc: second, ratio };
}

interface Side {
  readonly port: number;
  readonly plan: RequestPlan;
}

/** Both sides in turns, so that what else the machine does falls on both; the ratio is the first side's rate to the second's. */
async function inTurns(
  sides: readonly [Side, Side],
  connections: number,
  load: LoadGenerator,
  { rounds, warmUpMs, measureMs }: Pace,
): Promise<{ first: LoadResult; second: LoadResult; ratio: number }> {
  const results = new Map<Side, LoadResult[]>(sides.map((side) => [side, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      results.get(side)?.push(await load.run({ ...side, connections, warmUpMs, measureMs, maxRequests: MAX_REQUESTS }));
    }
  }
  const [ours, theirs] = sides.map((side) => results.get(side)) as [LoadResult[], LoadResult[]];
  const ratio = median(ours.map(({ perSecond }, round) => perSecond / (theirs[round] as LoadResult).perSecond));
  return { first: middle(ours), second: middle(theirs), ratio };
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
