export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

const snakeNames = new Map<string, string>();

function snakeNameOf(name: string): string {
  let snake = snakeNames.get(name);
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeNames.set(name, snake);
  }
  return snake;
}

/** The first of the fields that is there, each by its JSON name or its name in the proto; `null` is absent. */
export function fieldOf(fields: Fields, ...names: readonly string[]): unknown {
  for (const name of names) {
    const value = fields[name] ?? fields[snakeNameOf(name)];
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}
