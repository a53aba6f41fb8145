import { cpus, totalmem } from 'node:os';
import type { LoadResult } from './load/closed-loop.js';
import type { Measured, MeasuredGrpc } from './measure.js';

type Memory = Readonly<Record<string, number>>;

export interface Figures {
  readonly machine: { readonly cpus: number; readonly model: string; readonly memoryGiB: number; readonly node: string };
  readonly scenarios: readonly Measured[];
  readonly bindings: readonly MeasuredGrpc[];
  /** MiB, of each process, before and after the load. */
  readonly memory: Readonly<Record<'chorus' | 'sdk', { readonly before: Memory; readonly after: Memory }>>;
  readonly ratios: Readonly<Record<string, number>>;
}

export const machine = (): Figures['machine'] => ({
  cpus: cpus().length,
  model: cpus()[0]?.model.trim() ?? 'unknown',
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  node: process.version,
});

export const ratiosOf = (scenarios: readonly Pick<Measured, 'key' | 'ratio'>[]): Record<string, number> =>
  Object.fromEntries(scenarios.map(({ key, ratio }) => [key, Number(ratio.toFixed(3))]));

export const HEADER = row(['', 'Chorus/s', 'SDK/s', 'ratio', 'Chorus p50/p99 ms', 'SDK p50/p99 ms']);

/** One line for one scenario; a second one when answers were wrong. */
export const line = ({ title, chorus, sdk, ratio }: Measured): string =>
  lines(title, ratio, [chorus, 'Chorus'], [sdk, 'the SDK']);

export const GRPC_HEADER = row(['', 'gRPC/s', 'JSON-RPC/s', 'ratio', 'gRPC p50/p99 ms', 'JSON-RPC p50/p99 ms']);

export const grpcLine = ({ title, grpc, jsonRpc, ratio }: MeasuredGrpc): string =>
  lines(title, ratio, [grpc, 'gRPC'], [jsonRpc, 'JSON-RPC']);

type Named = readonly [result: LoadResult, name: string];

function lines(title: string, ratio: number, ...both: readonly [Named, Named]): string {
  const faults = both.flatMap(([{ errors, firstError }, name]) =>
    errors === 0 ? [] : [`    ${errors} wrong answers of ${name}, the first: ${firstError}`],
  );
  const [[first], [second]] = both;
  return [row([title, rate(first), rate(second), `${ratio.toFixed(2)}×`, times(first), times(second)]), ...faults].join('\n');
}

/** The memory of both, as text. */
export function memoryLines(memory: Figures['memory']): string {
  const list = (of: Memory): string =>
    Object.entries(of)
      .map(([name, mib]) => `${name} ${mib}`)
      .join(', ');
  return Object.entries(memory)
    .map(([name, { before, after }]) => `memory of ${name}, MiB: ${list(before)} before; ${list(after)} after`)
    .join('\n');
}

const rate = ({ perSecond }: LoadResult): string => (perSecond < 100 ? perSecond.toFixed(1) : perSecond.toFixed(0));

const times = ({ p50Ms, p99Ms }: LoadResult): string => `${p50Ms.toFixed(1)} / ${p99Ms.toFixed(1)}`;

function row(cells: readonly string[]): string {
  const [title, ...figures] = cells as [string, ...string[]];
  return [title.padEnd(42), ...figures.map((cell, index) => cell.padStart(index < 3 ? 10 : 20))].join(' ');
}
