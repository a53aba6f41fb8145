const SECRET_NAME =
  /^(authorization|proxy-authorization|cookie|set-cookie|password|passwd|pass|secret|token|credentials?|api[-_]?key|private[-_]?key|.+[-_](token|secret|password|key))$/i;
/** Matches at every place, so that no text is read twice. What looks for the `@` alone would start again at each character. */
const UP_TO_AT = /[^\s@'"]+@?/g;
const BEARER = /\b(bearer|basic)\s+[a-z0-9._~+/-]+=*/gi;
/** The secret of an API key; what is before it only tells which. */
const API_KEY = /\b(chorus_[0-9a-f]{16}_)[A-Za-z0-9_-]+/g;
const MAX_DEPTH = 6;
const HIDDEN = '[hidden]';

/**
 * `value` without what may be a credential: fields with a secret's name, passwords in URLs, authorization values. What is
 * nested too deep to be looked at is left out. The time is linear in the text: an exception may quote megabytes.
 */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '[nested too deep]';
  if (Array.isArray(value)) return value.map((entry) => redact(entry, depth + 1));
  if (value instanceof Error) return redactText(value.stack ?? value.message);
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON === 'function') return redact(toJSON.call(value), depth + 1);
  const clean: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(value)) {
    clean[name] = SECRET_NAME.test(name) && entry !== undefined && entry !== null ? HIDDEN : redact(entry, depth + 1);
  }
  return clean;
}

function redactText(text: string): string {
  const withoutUrls = text.includes('://') ? text.replace(UP_TO_AT, hideUserInfo) : text;
  return withoutUrls.replace(BEARER, `$1 ${HIDDEN}`).replace(API_KEY, `$1${HIDDEN}`);
}

/** `word` ends in the first `@` after a blank or quote, if there is one: `scheme://user:password@` becomes `scheme://[hidden]@`. */
function hideUserInfo(word: string): string {
  if (!word.endsWith('@')) return word;
  for (let mark = word.indexOf('://'); mark !== -1; mark = word.indexOf('://', mark + 3)) {
    const user = mark + 3;
    const colon = word.indexOf(':', user);
    if (colon === -1) return word;
    // A user has no slash: what holds one is a path, and the credentials belong to a later URL.
    if (!word.slice(user, colon).includes('/')) return `${word.slice(0, user)}${HIDDEN}@`;
  }
  return word;
}
