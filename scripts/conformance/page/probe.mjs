import { commitOf, table } from './markdown.mjs';

const SIGNS = { passed: 'passed', failed: '**failed**', skipped: 'skipped' };
const COLUMNS = ['JSONRPC', 'HTTP+JSON', 'GRPC'];

/** The prober's run: its counts, what did not pass and why, and every check. */
export function probeSection(probe) {
  const { interfaces, checks, command, settings, guarded, differing } = probe;
  const ids = [...new Set(checks.map(({ id }) => id))];
  return `## The prober

\`${command}\`, ${probe.date.slice(0, 10)}, Chorus ${commitOf(probe)} with
\`${settings}\`. The card named ${interfaces.join(', ')}.

${table(
  ['', 'passed', 'failed', 'skipped'],
  ['MUST', 'SHOULD', 'MAY', 'INFO'].map((level) => counts(checks, level)),
)}

What did not pass:

${table(['check', '', 'why'], notPassed(checks))}

### With authentication

\`${guarded.command}\` against Chorus with \`${guarded.settings}\` too: ${guarded.counts.passed} passed, ${guarded.counts.failed} failed,
${guarded.counts.skipped} were skipped. What came out otherwise than above:

${table(
  ['check', 'over', '', 'why'],
  differing.map(({ id, binding = '', status, reason = '' }) => [`\`${id}\``, binding, SIGNS[status], reason]),
)}

<details><summary>Every check, without authentication</summary>

${table(
  ['check', '', 'section', 'level', ...COLUMNS],
  ids.map((id) => checkRow(checks.filter((check) => check.id === id))),
)}

</details>`;
}

function counts(checks, level) {
  const ofLevel = checks.filter(({ requirement }) => requirement === level);
  return [level, ...['passed', 'failed', 'skipped'].map((status) => ofLevel.filter((check) => check.status === status).length)];
}

/** One line for each reason, however many checks have it. */
function notPassed(checks) {
  const byReason = new Map();
  for (const { id, status, reason } of checks) {
    if (status === 'passed') continue;
    const key = `${status} ${reason}`;
    const entry = byReason.get(key) ?? { status, reason, ids: new Set() };
    entry.ids.add(id);
    byReason.set(key, entry);
  }
  return [...byReason.values()].map(({ status, reason, ids }) => [
    [...ids].map((id) => `\`${id}\``).join(', '),
    SIGNS[status],
    reason,
  ]);
}

/** Checks that run once have their result in the first column. */
function checkRow(results) {
  const [{ id, title, section, requirement, binding }] = results;
  const cells = COLUMNS.map((column) => SIGNS[results.find((one) => one.binding === column)?.status] ?? '');
  return [`\`${id}\``, title, section, requirement, ...(binding === undefined ? [SIGNS[results[0].status], '', ''] : cells)];
}
