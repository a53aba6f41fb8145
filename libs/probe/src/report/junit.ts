import { isRequired, type CheckResult, type Report } from '../report.js';

/** The report as JUnit XML: one suite a group, warnings as passed cases with a system-out. */
export function junitReport({ results, agent, durationMs }: Report): string {
  const groups = [...new Set(results.map(({ group }) => group))];
  const failures = results.filter(isFailure).length;
  const suites = groups.map((group) =>
    suiteOf(
      group,
      results.filter((result) => result.group === group),
    ),
  );
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escape(`A2A 1.0.1: ${agent}`)}" tests="${results.length}" failures="${failures}" time="${seconds(durationMs)}">`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n');
}

const isFailure = (result: CheckResult): boolean => result.status === 'failed' && isRequired(result);

function suiteOf(group: string, results: readonly CheckResult[]): string {
  const skipped = results.filter(({ status }) => status === 'skipped').length;
  const time = seconds(results.reduce((sum, { durationMs }) => sum + durationMs, 0));
  const head = `<testsuite name="${escape(group)}" tests="${results.length}" failures="${results.filter(isFailure).length}" skipped="${skipped}" time="${time}">`;
  return [`  ${head}`, ...results.map(caseOf), '  </testsuite>'].join('\n');
}

function caseOf(result: CheckResult): string {
  const { id, binding, status, reason = '', evidence, title, mend, durationMs, requirement, section } = result;
  const name = `${id}${binding ? `@${binding}` : ''}`;
  const head = `    <testcase classname="${escape(id.split('.')[0] ?? '')}" name="${escape(`${name}: ${title}`)}" time="${seconds(durationMs)}"`;
  if (status === 'passed') return `${head}/>`;
  if (status === 'skipped') return `${head}><skipped message="${escape(reason)}"/></testcase>`;
  const text = escape([`${requirement}, section ${section}: ${reason}`, evidence, `To mend: ${mend}`].filter(Boolean).join('\n'));
  return isRequired(result)
    ? `${head}><failure message="${escape(reason)}">${text}</failure></testcase>`
    : `${head}><system-out>${text}</system-out></testcase>`;
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3);

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Also without the control characters that XML has no place for. */
export const escape = (text: string): string =>
  text.replace(/[^\P{Cc}\n\t]|[\uD800-\uDFFF\uFFFE\uFFFF]/gu, '\uFFFD').replace(/[&<>"']/g, (char) => ENTITIES[char] as string);
