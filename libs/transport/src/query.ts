/** The query's parameters; of one that came several times, the last. Names are as they came. */
export function queryOf(url: string): Record<string, string> {
  const mark = url.indexOf('?');
  return mark === -1 ? {} : Object.fromEntries(new URLSearchParams(url.slice(mark + 1)));
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
