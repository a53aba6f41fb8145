/**
 * Path segments that mean something else where an agent id or a tenant may stand. A new route under an agent's base or
 * under the root adds its first segment here.
 */
export const RESERVED_NAMES: readonly string[] = Object.freeze([
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

const escaped = (text: string): string => text.replaceAll('.', '\\.');

/** Source of a regular expression, without anchors, that matches a whole path segment if and only if it is a name. */
export const NAME_PATTERN = `(?!(?:${RESERVED_NAMES.map(escaped).join('|')})$)[A-Za-z0-9._~-]{1,64}`;

const NAME = new RegExp(`^${NAME_PATTERN}$`);

/** May `text` be an agent's id or a tenant? It stands in paths, cards and metrics, so the alphabet is that of unreserved URL characters. */
export const isName = (text: string): boolean => NAME.test(text);
