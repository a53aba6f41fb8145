/**
 * Path segments that mean something else where an agent id or a tenant may stand. A new route under an agent's base or
 * under the root adds its first segment here.
 */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  '.',
  '..',
  '.well-known',
  'a2a',
  'admin',
  'agents',
  'console',
  'docs',
  'extendedAgentCard',
  'favicon.ico',
  'health',
  'healthz',
  'livez',
  'message',
  'metrics',
  'pushNotificationConfigs',
  'readyz',
  'robots.txt',
  'tasks',
  'v1',
]);

const ALPHABET = /^[A-Za-z0-9._~-]{1,64}$/;

/** May `text` be an agent's id or a tenant? It stands in paths, cards and metrics, so the alphabet is that of unreserved URL characters. */
export const isName = (text: string): boolean => ALPHABET.test(text) && !RESERVED_NAMES.has(text);
