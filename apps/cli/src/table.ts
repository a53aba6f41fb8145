/** Rows as lines for a person, each column as wide as it has to be. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (row[column] as string).length)),
  );
  return [headings, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join('  ')
      .trimEnd(),
  );
}

/** To the minute, in UTC. */
export const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');
