/** Domains that no public host is below: of the machine, of local networks, and those that ICANN keeps out of the root. */
const INTERNAL_DOMAINS = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
  // Of Kubernetes; the full form ends in cluster.local.
  'svc',
];

/** A name in the form that resolvers take: letters, digits, hyphens and underscores in labels of 1 to 63, together 253 at most. */
export function isHostName(name: string): boolean {
  return name.length <= 253 && name.split('.').every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/i.test(label));
}

/**
 * Whether a name is one of an internal network by its form. One label alone (`redis`, `metadata`) is: it means something only inside.
 * `name` is in lower case, without the dot at the end.
 */
export function isInternalName(name: string): boolean {
  return !name.includes('.') || INTERNAL_DOMAINS.some((domain) => name === domain || name.endsWith(`.${domain}`));
}
