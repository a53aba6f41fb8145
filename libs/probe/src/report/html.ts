import { countsOf, isRequired, type CheckResult, type Report } from '../report.js';
import { escape } from './junit.js';

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --ok: #1a7f37; --bad: #cf222e; --warn: #9a6700; --dim: #6e7781; }
@media (prefers-color-scheme: dark) { :root { --ok: #3fb950; --bad: #ff7b72; --warn: #d29922; --dim: #9198a1; } }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; margin: 0; } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
p, ul { margin: .3rem 0; } code, pre { font: 13px/1.4 ui-monospace, monospace; }
table { border-collapse: collapse; width: 100%; } td { border-top: 1px solid var(--line); padding: .4rem .6rem .4rem 0; vertical-align: top; }
td:first-child { width: 5rem; font-weight: 600; } td:last-child { width: 8rem; color: var(--dim); text-align: right; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .3rem 0; padding: .4rem .6rem; border-left: 3px solid var(--line); }
.passed { color: var(--ok); } .failed { color: var(--bad); } .warning { color: var(--warn); } .skipped, .dim { color: var(--dim); }
.counts span { margin-right: 1.2rem; font-weight: 600; }
`;

/** The report as one page that needs nothing else; light or dark as the reader's system is. */
export function htmlReport(report: Report): string {
  const { passed, failed, warnings, skipped } = countsOf(report);
  const groups = [...new Set(report.results.map(({ group }) => group))];
  const title = `A2A ${report.specification}: ${report.agent} ${report.agentVersion}`;
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(title)}</title><style>${STYLE}</style></head>
<body>
<h1>${escape(title)}</h1>
<p><code>${escape(report.cardUrl)}</code>, ${escape(report.startedAt)}, ${(report.durationMs / 1000).toFixed(1)} s${report.sideEffects ? '' : ', without side effects'}</p>
<ul>${report.interfaces.map(interfaceItem).join('')}</ul>
<p class="counts"><span class="passed">${passed} passed</span><span class="failed">${failed} failed</span><span class="warning">${warnings} warnings</span><span class="skipped">${skipped} skipped</span></p>
${groups
  .map((group) =>
    groupTable(
      group,
      report.results.filter((result) => result.group === group),
    ),
  )
  .join('\n')}
</body>
</html>
`;
}

const interfaceItem = ({ protocolBinding, protocolVersion, url, notProbed }: Report['interfaces'][number]): string =>
  `<li>${escape(protocolBinding)} ${escape(protocolVersion)} <code>${escape(url)}</code>${notProbed === undefined ? '' : ` <span class="dim">not probed: ${escape(notProbed)}</span>`}</li>`;

const groupTable = (group: string, results: readonly CheckResult[]): string =>
  `<h2>${escape(group)}</h2>\n<table>\n${results.map(row).join('\n')}\n</table>`;

function row(result: CheckResult): string {
  const { id, binding, title, status, requirement, section, reason, evidence, mend } = result;
  const kind = status === 'failed' && !isRequired(result) ? 'warning' : status;
  const more = [
    reason === undefined ? '' : `<p>${escape(reason)}</p>`,
    evidence === undefined ? '' : `<pre>${escape(evidence)}</pre>`,
    mend === undefined ? '' : `<p>To mend: ${escape(mend)}</p>`,
  ].join('');
  const name = `${id}${binding ? `@${binding}` : ''}`;
  return `<tr><td class="${kind}">${kind}</td><td>${escape(title)} <code class="dim">${escape(name)}</code>${more}</td><td>${requirement} ${escape(section)}</td></tr>`;
}
