import { ACCESS } from './claims/access.mjs';
import { BINDINGS_AND_ERRORS, STREAMING } from './claims/bindings.mjs';
import { CARDS } from './claims/cards.mjs';
import { GAPS } from './claims/gaps.mjs';
import { METHODS, OPERATIONS } from './claims/methods.mjs';
import { STATES } from './claims/states.mjs';
import { EXTENSIONS, VERSIONS } from './claims/versions.mjs';
import { BINDINGS, countsOf, outcome } from './evidence.mjs';
import { interopSection } from './page/interop.mjs';
import { kitSection } from './page/kit.mjs';
import { commitOf, table } from './page/markdown.mjs';
import { probeSection } from './page/probe.mjs';

export const AREAS = [
  ['Methods', METHODS],
  ['What operations do', OPERATIONS],
  ['States and data', STATES],
  ['Bindings and errors', BINDINGS_AND_ERRORS],
  ['Streaming', STREAMING],
  ['Versions', VERSIONS],
  ['Authentication and authorization', ACCESS],
  ['Extensions', EXTENSIONS],
  ['Cards and signing', CARDS],
];

/** The files whose tests the rows name. */
export function suitesOfRows() {
  const evidence = [...AREAS.flatMap(([, rows]) => rows), ...GAPS].flatMap((row) => row.evidence);
  return [...new Set(evidence.filter(({ source }) => source === 'suites').map(({ name }) => name))].sort();
}

/** `docs/conformance.md` of the results in `docs/conformance`. Throws when a row names what the results do not have. */
export function conformancePage(results) {
  return [
    `# Does Chorus do what A2A 1.0 says?

This page is written by \`npm run docs:conformance\` from the results in [docs/conformance](conformance); \`npm run check\` fails when it says
anything else. The specification is A2A ${results.probe.specification}. To get the results anew, on your machine:

\`\`\`sh
npm run conformance
\`\`\`

It takes about ten minutes, and needs git, Python 3.11 or newer (for the official kit and one client), Go (for another) and \`redis-server\` (for some suites). One part of it:
\`npm run conformance -- kit\`, \`probe\`, \`suites\` or \`interop\`; a kit that is here already: \`npm run conformance -- kit --tck DIR\`.`,
    runsSection(results),
    `Each row below names what proves it; its result is theirs. *Kit* is a requirement of the official compatibility kit, *probe* a check of
[\`chorus probe\`](probe.md), the rest are tests of this repository. Where they tell it by binding, the bindings are named on which it held.`,
    ...AREAS.map(([title, rows]) => `## ${title}\n\n${rowsTable(rows, results)}`),
    gapsSection(results),
    interopSection(results.interop),
    kitSection(results.kit),
    probeSection(results.probe),
  ]
    .join('\n\n')
    .concat('\n');
}

function runsSection({ kit, probe, suites, interop }) {
  const line = (what, run, { passed, failed, skipped }) => [what, passed, failed, skipped, run.date.slice(0, 10), commitOf(run)];
  return `## The runs

${table(
  ['', 'passed', 'failed', 'skipped', 'date', 'commit of Chorus'],
  [
    line('[the official kit](#the-official-kit)', kit, kit.counts),
    line('[`chorus probe`](#the-prober)', probe, countsOf(probe.checks)),
    line('`chorus probe`, with authentication', probe, probe.guarded.counts),
    line('the tests that rows name', suites, countsOf(suites.tests)),
    line('[official clients](#clients-that-others-wrote)', interop, countsOf(interop.scenes)),
  ],
)}`;
}

function rowsTable(rows, results) {
  return table(
    ['', 'section', 'result', 'proved by'],
    rows.map(({ claim, section, evidence }) => {
      const outcomes = evidence.map((one) => outcome(one, results));
      return [claim, section, resultOf(outcomes), evidence.map((one, n) => label(one, outcomes[n])).join('; ')];
    }),
  );
}

function gapsSection(results) {
  const rows = GAPS.map(({ claim, section, reason, evidence }) => [
    claim,
    section,
    reason,
    evidence.map((one) => label(one, outcome(one, results))).join('; '),
  ]);
  return `## Known gaps

What is not there is not declared, and is refused as section 3.3.4 says.

${table(['', 'section', 'how it is', 'shown by'], rows)}`;
}

function resultOf(outcomes) {
  const has = (status) => outcomes.some((one) => one.status === status);
  if (has('failed')) return '**does not hold**';
  if (!has('passed')) return '**not shown**';
  const bindings = BINDINGS.filter((binding) => outcomes.some((one) => one.bindings.includes(binding)));
  return `holds${bindings.length > 0 ? `: ${bindings.join(', ')}` : ''}`;
}

const NOTES = { passed: '', failed: ' **failed**', skipped: ' (skipped)', contradicted: ' ([the kit is wrong](#failures))' };

function label({ source, name, title, guarded }, { status, tests }) {
  const note = `${guarded ? ' with authentication' : ''}${NOTES[status]}`;
  if (source !== 'suites') return `${source} \`${name}\`${note}`;
  const file = `[${name.split('/').at(-1)}](../${name})`;
  return `${file}${title ? ` “${title}”` : ''}${tests > 1 ? `, ${tests} tests` : ''}${note}`;
}
