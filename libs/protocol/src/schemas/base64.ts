const ALPHABETS = /^(?:[A-Za-z0-9+/]*|[A-Za-z0-9_-]*)={0,2}$/;

/**
 * `text` as padded base64 of the standard alphabet, or undefined when it is neither base64 nor base64url. ProtoJSON
 * accepts both alphabets on input, with padding or without, and writes only this one.
 */
export function toPaddedBase64(text: string): string | undefined {
  if (!ALPHABETS.test(text)) return undefined;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  if (padding > 0 ? text.length % 4 !== 0 : text.length % 4 === 1) return undefined;
  return Buffer.from(text, 'base64').toString('base64');
}
