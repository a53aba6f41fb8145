import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { compare } from './compare.js';
import { listMillion } from './list-million.js';
import type { Pace } from './measure.js';
import { soak } from './soak.js';

const QUICK: Pace = { rounds: 2, warmUpMs: 500, measureMs: 2000 };
const FULL: Pace = { rounds: 5, warmUpMs: 1000, measureMs: 5000 };

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'string' },
    only: { type: 'string' },
    'list-1m': { type: 'boolean', default: false },
    soak: { type: 'boolean', default: false },
    'without-redis': { type: 'boolean', default: false },
  },
});
const redis = !values['without-redis'];

async function run(): Promise<object> {
  if (values['list-1m']) return { list_1m: await listMillion({ redis }) };
  if (values.soak) return { soak: await soak({ redis }) };
  const figures = await compare({ pace: values.quick ? QUICK : FULL, only: values.only?.split(','), redis });
  // A rate of wrong answers is no rate.
  if (figures.scenarios.some(({ chorus, sdk }) => chorus.errors + sdk.errors > 0)) process.exitCode = 1;
  return figures;
}

const figures = await run();
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(figures, undefined, 2)}\n`);
