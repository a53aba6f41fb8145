import { startChorus } from './chorus-target.js';
import { LoadGenerator } from './load/load-generator.js';
import { residentMemory } from './resident-memory.js';

const STEPS = 10;
const TASKS_A_STEP = 10_000;
const CONNECTIONS = 50;
const MAX_STEP_MS = 120_000;

/** Runs 100,000 echo tasks; the memory of each process after each tenth of them, in MiB. */
export async function soak({ redis }: { redis: boolean }): Promise<readonly Record<string, number>[]> {
  const chorus = await startChorus({ redis });
  const load = new LoadGenerator();
  const memory: Record<string, number>[] = [];
  try {
    for (let step = 1; step <= STEPS; step += 1) {
      const plan = { kind: 'send', agentId: 'echo' } as const;
      const job = {
        port: chorus.port,
        connections: CONNECTIONS,
        warmUpMs: 0,
        measureMs: MAX_STEP_MS,
        maxRequests: TASKS_A_STEP,
        plan,
      };
      const { perSecond, errors, firstError } = await load.run(job);
      if (errors > 0) throw new Error(`${errors} wrong answers, the first: ${firstError}`);
      memory.push(residentMemory(chorus.processes()));
      const sizes = Object.entries(memory.at(-1) ?? {}).map(([name, mib]) => `${name} ${mib} MiB`);
      console.log(`${(step * TASKS_A_STEP).toLocaleString('en')} tasks, ${perSecond.toFixed(0)}/s: ${sizes.join(', ')}`);
    }
    return memory;
  } finally {
    load.stop();
    await chorus.stop();
  }
}
