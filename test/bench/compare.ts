import { startChorus } from './chorus-target.js';
import { LoadGenerator } from './load/load-generator.js';
import { GRPC_KEY, measure, measureGrpc, warmUp, type Measured, type MeasuredGrpc, type Pace } from './measure.js';
import { preload } from './preload.js';
import { GRPC_HEADER, HEADER, grpcLine, line, machine, memoryLines, ratiosOf, type Figures } from './report.js';
import { residentMemory } from './resident-memory.js';
import { LISTS, SCENARIOS } from './scenarios.js';
import { startSdk } from './sdk-target.js';

export interface CompareOptions {
  readonly pace: Pace;
  /** Keys of the scenarios; all unless given. */
  readonly only?: readonly string[];
  readonly redis: boolean;
}

/** Chorus beside the official SDK's in-memory server, printed as it goes. */
export async function compare({ pace, only, redis }: CompareOptions): Promise<Figures> {
  const scenarios = SCENARIOS.filter(({ key }) => only === undefined || only.includes(key));
  const lists = Object.fromEntries(
    Object.entries(LISTS).filter(([agentId]) => scenarios.some(({ key }) => key === agentId.replace('-', '_'))),
  );
  console.log('Starting both servers …');
  const chorus = await startChorus({ redis });
  const sdk = await startSdk(lists);
  const load = new LoadGenerator();
  try {
    for (const [agentId, tasks] of Object.entries(lists)) await preload(chorus, agentId, tasks);
    const before = { chorus: residentMemory(chorus.processes()), sdk: residentMemory(sdk.processes()) };
    await warmUp([chorus, sdk], load, pace);
    const measured: Measured[] = [];
    if (scenarios.length > 0) console.log(HEADER);
    for (const scenario of scenarios) {
      const result = await measure(scenario, chorus, sdk, load, pace);
      measured.push(result);
      console.log(line(result));
    }
    const bindings: MeasuredGrpc[] = [];
    if (only === undefined || only.includes(GRPC_KEY)) {
      bindings.push(await measureGrpc(chorus, load, pace));
      console.log(`${GRPC_HEADER}\n${bindings.map(grpcLine).join('\n')}`);
    }
    const memory = {
      chorus: { before: before.chorus, after: residentMemory(chorus.processes()) },
      sdk: { before: before.sdk, after: residentMemory(sdk.processes()) },
    };
    console.log(memoryLines(memory));
    return { machine: machine(), scenarios: measured, bindings, memory, ratios: ratiosOf([...measured, ...bindings]) };
  } finally {
    load.stop();
    await sdk.stop();
    await chorus.stop();
  }
}
