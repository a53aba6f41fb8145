import { KNOWN_KIT_FAILURES, KNOWN_KIT_FAILURES_WITH_V03, knownFailure } from '../known-failures.mjs';
import { commitOf, table } from './markdown.mjs';

const STATUSES = ['PASS', 'FAIL', 'SKIPPED', 'NOT TESTED'];
const TRANSPORTS = ['jsonrpc', 'http_json', 'grpc', 'agent_card'];

/** The official kit's run: where from, how, its counts, and each failure with its reason. */
export function kitSection(kit) {
  const { source, command, settings, tools, counts, withV03 } = kit;
  return `## The official kit

[${source.repository.replace('https://github.com/', '')}](${source.repository}), branch \`${source.branch}\`, commit \`${source.commit}\`, over all
three bindings; ${kit.date.slice(0, 10)}, Chorus ${commitOf(kit)}, ${Object.entries(tools)
    .map((tool) => tool.join(' '))
    .join(', ')}:

\`\`\`sh
${command}
\`\`\`

against \`${settings} npm start\`. ${counts.passed} tests passed, ${counts.failed} failed, ${counts.skipped} were skipped. By requirement
(the kit calls one failed when it failed over any binding, and has no test at all for some):

${table(['', 'passed', 'failed', 'skipped', 'the kit has no test'], levels(kit))}

### Failures

${table(
  ['test', 'requirement', 'why'],
  kit.failures.map((failure) => failureRow(failure, KNOWN_KIT_FAILURES)),
)}

### Skipped

${table(
  ['tests', 'the kit’s reason'],
  kit.skips.map(({ reason, tests }) => [tests, reason]),
)}

### While 0.3 is served

With \`${withV03.settings}\`: ${withV03.counts.passed} passed, ${withV03.counts.failed} failed, ${withV03.counts.skipped} skipped. What fails
beside the above:

${table(
  ['test', 'requirement', 'why'],
  withV03.failures
    .filter((failure) => !knownFailure(failure, KNOWN_KIT_FAILURES))
    .map((failure) => failureRow(failure, KNOWN_KIT_FAILURES_WITH_V03)),
)}

<details><summary>Every requirement of the kit</summary>

${table(['', 'level', ...TRANSPORTS], kit.requirements.map(requirementRow))}

</details>`;
}

function levels({ requirements }) {
  return ['MUST', 'SHOULD', 'MAY'].map((level) => [
    level,
    ...STATUSES.map((status) => requirements.filter((one) => one.level === level && one.status === status).length),
  ]);
}

function failureRow(failure, known) {
  const { requirement = '', reason } = knownFailure(failure, known) ?? {};
  return [`\`${failure.test}\``, requirement, reason ?? `**Not explained.** ${failure.message}`];
}

function requirementRow({ id, level, status, transports }) {
  if (status === 'NOT TESTED') return [id, level, 'no test', '', '', ''];
  return [id, level, ...TRANSPORTS.map((transport) => transports[transport]?.toLowerCase() ?? '')];
}
