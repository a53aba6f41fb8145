/**
 * The URL that `text` is, or undefined where it is none. For text that others wrote, instead of `URL.canParse`: on Node 20 that one,
 * once it was called some thousand times and is compiled, refuses a host with a character of U+0080 to U+00FF
 * that it had accepted before.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
