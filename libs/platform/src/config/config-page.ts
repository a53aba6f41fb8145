import { VARIABLES } from './variables.js';
import type { Variable } from './values.js';

const INTRODUCTION = `# Configuration

Every setting is an environment variable. A wrong value stops the process with one line that says which and why; an unknown
\`CHORUS_…\` variable is reported. \`npm start\` and \`chorus api|worker|migrate|up --help\` show the options that set the main ones.

This page is written by \`npm run docs:configuration\` from \`libs/platform/src/config/variables\`.
`;

/** The text of docs/configuration.md. */
export function configurationPage(): string {
  const groups = new Map<string, Variable<unknown>[]>();
  for (const variable of Object.values<Variable<unknown>>(VARIABLES)) {
    groups.set(variable.group, [...(groups.get(variable.group) ?? []), variable]);
  }
  const sections = [...groups].map(([group, variables]) => [`## ${group}`, '', ...table(variables), ''].join('\n'));
  return [INTRODUCTION, ...sections].join('\n');
}

function table(variables: readonly Variable<unknown>[]): string[] {
  const rows = variables.map((variable) => [
    `\`${variable.name}\``,
    defaultOf(variable),
    variable.unit ?? '',
    `${variable.description} Accepts ${variable.accepts}.`,
  ]);
  return [['Variable', 'Default', 'Unit', 'What it does'], ['---', '---', '---', '---'], ...rows].map(
    (cells) => `| ${cells.join(' | ')} |`,
  );
}

function defaultOf(variable: Variable<unknown>): string {
  if (variable.default !== undefined) return `\`${variable.default}\``;
  return variable.required ? 'required' : '';
}
