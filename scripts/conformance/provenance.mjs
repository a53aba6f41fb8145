import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../prepare.mjs';

/** Where results are kept, and the names of their files. */
export const RESULTS_FOLDER = join(root, 'docs', 'conformance');

/** What a result is a result of: when, of which commit, and whether the tree was that commit. */
export function provenance() {
  const changed = git('status', '--porcelain', '--', '.', ':!docs').length > 0;
  return { date: new Date().toISOString().slice(0, 16) + 'Z', commit: git('rev-parse', 'HEAD'), ...(changed && { changed }) };
}

/** Pretty JSON whose lists have one line an entry: short, and a change of one result is a change of one line. */
export function writeResults(file, results) {
  const lines = Object.entries(results).map(([key, value]) => {
    if (!Array.isArray(value) || value.length === 0) return `  ${JSON.stringify(key)}: ${JSON.stringify(value)}`;
    return `  ${JSON.stringify(key)}: [\n${value.map((entry) => `    ${JSON.stringify(entry)}`).join(',\n')}\n  ]`;
  });
  writeFileSync(file, `{\n${lines.join(',\n')}\n}\n`);
}

function git(...args) {
  const { status, stdout, error } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${args.join(' ')} does not work here${error ? `: ${error.message}` : ''}`);
  return stdout.trim();
}
