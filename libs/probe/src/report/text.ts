import { countsOf, isRequired, type CheckResult, type Report } from '../report.js';

const COLOURS = { green: 32, red: 31, yellow: 33, dim: 2, bold: 1 } as const;
type Paint = (colour: keyof typeof COLOURS, text: string) => string;

/** The report for people: by group, a line a check, why and how to mend for those that failed, counts at the end. */
export function textReport(report: Report, colour: boolean): string {
  const paint: Paint = (name, text) => (colour ? `\u001b[${COLOURS[name]}m${text}\u001b[0m` : text);
  const groups = [...new Set(report.results.map(({ group }) => group))];
  const lines = [
    paint('bold', `${report.agent} ${report.agentVersion}`),
    `${report.cardUrl}, A2A ${report.specification}`,
    ...report.interfaces.map(
      ({ protocolBinding, protocolVersion, url, notProbed }) =>
        `  ${protocolBinding} ${protocolVersion} ${url}${notProbed === undefined ? '' : paint('dim', ` (not probed: ${notProbed})`)}`,
    ),
    ...(report.sideEffects ? [] : ['Without side effects: no task was made. --allow-side-effects runs the rest.']),
    ...groups.flatMap((group) => [
      '',
      paint('bold', group),
      ...report.results.filter((result) => result.group === group).flatMap((result) => linesOf(result, paint)),
    ]),
  ];
  return `${lines.join('\n')}\n\n${summary(report)}\n`;
}

/** The last line. */
export function summary(report: Report): string {
  const { passed, failed, warnings, skipped } = countsOf(report);
  return `${passed} passed, ${failed} failed, ${warnings} warnings, ${skipped} skipped in ${(report.durationMs / 1000).toFixed(1)} s`;
}

function linesOf(result: CheckResult, paint: Paint): string[] {
  const { id, binding, requirement, title, status, reason, evidence, mend, section } = result;
  const name = `${id}${binding ? `@${binding}` : ''}`;
  if (status === 'passed') return [`  ${paint('green', 'ok     ')} ${name}  ${paint('dim', title)}`];
  if (status === 'skipped') return [`  ${paint('dim', `skipped ${name}  ${reason}`)}`];
  const word = isRequired(result) ? paint('red', 'FAILED ') : paint('yellow', 'warning');
  return [
    `  ${word} ${name}  ${title}`,
    `          ${requirement}, section ${section}: ${reason}`,
    ...(evidence === undefined ? [] : [`          ${paint('dim', `it sent ${evidence}`)}`]),
    `          To mend: ${mend}`,
  ];
}
