import { styleText } from 'node:util';

const COLORS = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const;
const OMITTED = new Set(['level', 'time', 'msg', 'process', 'pid', 'err', 'workerId']);

/** A JSON line of the log as one line for a person, and the stack of an error below it. Anything else comes back as it is. */
export function prettyLine(line: string, colors: boolean): string {
  let entry: Record<string, unknown>;
  try {
    entry = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  const level = String(entry['level']);
  const color = COLORS[level as keyof typeof COLORS] ?? 'white';
  const paint = (format: Parameters<typeof styleText>[0], text: string): string =>
    colors ? styleText(format, text, { validateStream: false }) : text;
  const time = typeof entry['time'] === 'string' ? entry['time'].slice(11, 23) : '';
  const fields = Object.entries(entry)
    .filter(([name]) => !OMITTED.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const words = [
    paint('gray', time),
    paint(color, level.padEnd(5)),
    `${entry['process']}[${entry['pid']}]`,
    entry['msg'],
    paint('gray', fields.join(' ')),
  ];
  const error = entry['err'] as { stack?: string; message?: string } | undefined;
  const trace = error && (error.stack ?? error.message);
  return `${words.filter((word) => word !== undefined && word !== '').join(' ')}${trace ? `\n${trace}` : ''}\n`;
}
