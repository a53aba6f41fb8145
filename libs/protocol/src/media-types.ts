import type { Part } from './types.js';

/** `text` in lower case and without parameters; the mode `text` of older cards is `text/plain`. */
function essenceOf(text: string): string {
  const semicolon = text.indexOf(';');
  const essence = (semicolon === -1 ? text : text.slice(0, semicolon)).trim().toLowerCase();
  return essence === 'text' ? 'text/plain' : essence;
}

/**
 * The media type of a part's content: the stated one, or text/plain for text and application/json for data. Undefined for
 * a file that states none: it may be anything.
 */
export function mediaTypeOf(part: Part): string | undefined {
  if (part.mediaType) return essenceOf(part.mediaType);
  if (part.text !== undefined) return 'text/plain';
  return part.data !== undefined ? 'application/json' : undefined;
}

/** Does any of `modes` (media types, `type/*` or `*`) take content of `mediaType`? Case and parameters do not count. */
export function acceptsMediaType(modes: readonly string[], mediaType: string): boolean {
  const essence = essenceOf(mediaType);
  return modes.some((mode) => covers(essenceOf(mode), essence));
}

/** Is there a media type that the client accepts and the agent makes? Either side may use wildcards; accepting nothing in particular is accepting all. */
export function outputModesIntersect(accepted: readonly string[], offered: readonly string[]): boolean {
  if (accepted.length === 0) return true;
  const offers = offered.map(essenceOf);
  return accepted.map(essenceOf).some((mode) => offers.some((offer) => covers(mode, offer) || covers(offer, mode)));
}

function covers(mode: string, essence: string): boolean {
  if (mode === essence || mode === '*/*' || mode === '*') return true;
  return mode.endsWith('/*') && essence.startsWith(mode.slice(0, -1));
}
