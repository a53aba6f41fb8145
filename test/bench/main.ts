import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compare } from './compare.js';
import { idle } from './idle.js';
import { listMillion } from './list-million.js';
import type { Pace } from './measure.js';
import { soak } from './soak.js';

const QUICK: Pace = { rounds: 2, startUpMs: 16_000, warmUpMs: 250, measureMs: 1750 };
const FULL: Pace = { rounds: 5, startUpMs: 20_000, warmUpMs: 1000, measureMs: 5000 };

/**
 * `npm run bench`, and after `--`:
 *   --quick            under three minutes instead of twelve
 *   --only a,b         some scenarios, by the keys of their ratios
 *   --json FILE        writes all figures
 *   --list-1m          ListTasks of a million tasks instead of the comparison
 *   --soak             100,000 tasks, and what they do to the processes' memory, instead of the comparison
 *   --idle             20,000 subscriptions to one task instead of the comparison: memory, and one event to all
 *   --without-redis    Chorus on Postgres alone
 */
const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    only: { type: 'string' },
    'list-1m': { type: 'boolean', default: false },
    soak: { type: 'boolean', default: false },
    idle: { type: 'boolean', default: false },
    'without-redis': { type: 'boolean', default: false },
  },
});
const redis = !values['without-redis'];

async function run(): Promise<object> {
  if (values['list-1m']) return { list_1m: await listMillion({ redis }) };
  if (values.idle) return { idle: await idle({ redis }) };
  if (values.soak) return { soak: await soak({ redis }) };
  const figures = await compare({ pace: values.quick ? QUICK : FULL, only: values.only?.split(','), redis });
  // A rate of wrong answers is no rate.
  const results = [
    ...figures.scenarios.flatMap(({ chorus, sdk }) => [chorus, sdk]),
    ...figures.bindings.flatMap(({ grpc, jsonRpc }) => [grpc, jsonRpc]),
  ];
  if (results.some(({ errors }) => errors > 0)) process.exitCode = 1;
  return figures;
}

let interrupted = false;
// Ctrl-C ends the load generator too: that ends the run, and what was started is stopped on the way out.
process.once('SIGINT', () => (interrupted = true));
try {
  const figures = await run();
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, undefined, 2)}\n`);
} catch (error) {
  if (!interrupted) throw error;
  process.exitCode = 130;
}
