import { InvalidParamsError } from '#protocol';

/**
 * The query's parameters, those that came several times as lists: which of them counts is not ours to guess. Names are as they
 * came. Throws InvalidParamsError for what is no text: it would silently be read as other characters than the client sent.
 */
export function queryOf(url: string): Record<string, string | readonly string[]> {
  const mark = url.indexOf('?');
  if (mark === -1) return {};
  const query = url.slice(mark + 1);
  requireText(query);
  const parameters = new URLSearchParams(query);
  return Object.fromEntries(
    [...new Set(parameters.keys())].map((name) => {
      const [first = '', ...others] = parameters.getAll(name);
      return [name, others.length === 0 ? first : [first, ...others]];
    }),
  );
}

function requireText(query: string): void {
  if (!query.includes('%')) return;
  const fieldViolations = query
    .split('&')
    .filter((pair) => decoded(pair) === undefined)
    .map((pair) => ({
      field: decoded(pair.split('=', 1)[0] as string) ?? '',
      description: 'must be UTF-8, percent-encoded',
    }));
  if (fieldViolations.length > 0) throw new InvalidParamsError(fieldViolations);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** One parameter, whatever the case of its name. `name` is lower case. */
export function queryParameter(url: string, name: string): string | undefined {
  const mark = url.indexOf('?');
  if (mark === -1) return undefined;
  for (const [key, value] of new URLSearchParams(url.slice(mark + 1))) if (key.toLowerCase() === name) return value;
  return undefined;
}

/** The path of a URL as it came, without the query. */
export function pathOf(url: string): string {
  const mark = url.indexOf('?');
  return mark === -1 ? url : url.slice(0, mark);
}
