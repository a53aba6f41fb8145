/** A Markdown table; cells may hold anything but line breaks. */
export function table(heads, rows) {
  const line = (cells) => `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** How a run names its commit. */
export const commitOf = ({ commit, changed }) => `\`${commit.slice(0, 12)}\`${changed ? ' with changes' : ''}`;
