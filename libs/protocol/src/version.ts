import { VersionNotSupportedError } from './errors.js';

/** What the client speaks when it names no version (section 3.6.2). */
const UNNAMED_VERSION = '0.3';

/**
 * The member of `supported` that a request's `A2A-Version` asks for; `value` is the header's or the query parameter's.
 * Major.Minor counts, a patch number does not. Throws VersionNotSupportedError, which names the supported versions.
 */
export function negotiateVersion(value: string | undefined, supported: readonly string[]): string {
  const requested = (value ?? '').trim();
  const version = requested === '' ? UNNAMED_VERSION : requested.replace(/^(\d+\.\d+)\.\d+$/, '$1');
  if (supported.includes(version)) return version;
  const newest = supported[0];
  const hint = requested === '' && newest !== undefined ? `. Send \`A2A-Version: ${newest}\`` : '';
  throw new VersionNotSupportedError(requested, supported, hint);
}
