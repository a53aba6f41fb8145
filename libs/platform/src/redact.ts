const SECRET_NAME =
  /^(authorization|proxy-authorization|cookie|set-cookie|password|passwd|pass|secret|token|credentials?|api[-_]?key|private[-_]?key|.+[-_](token|secret|password|key))$/i;
const CREDENTIALS_IN_URL = /([a-z][a-z0-9+.-]*:\/\/)[^\s/@'"]*:[^\s@'"]*@/gi;
const BEARER = /\b(bearer|basic)\s+[a-z0-9._~+/-]+=*/gi;
const MAX_DEPTH = 6;
const HIDDEN = '[hidden]';

/** `value` without what may be a credential: fields with a secret's name, passwords in URLs, authorization values. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((entry) => redact(entry, depth + 1));
  const clean: Record<string, unknown> = {};
  for (const [name, entry] of Object.entries(value)) {
    clean[name] = SECRET_NAME.test(name) && entry !== undefined && entry !== null ? HIDDEN : redact(entry, depth + 1);
  }
  return clean;
}

export const redactText = (text: string): string =>
  text.replace(CREDENTIALS_IN_URL, `$1${HIDDEN}@`).replace(BEARER, `$1 ${HIDDEN}`);
