const SCHEME = 'chorus-package:';

interface PackageAskedFor {
  readonly name: string;
  /** The folders from which it is looked for, in this order. */
  readonly folders: readonly string[];
}

/** What to import for a package as if a file of one of `folders` did it; the hooks understand it. */
export const packageSpecifier = (name: string, folders: readonly string[]): string =>
  `${SCHEME}${encodeURIComponent(JSON.stringify({ name, folders }))}`;

/** Undefined for what is no such specifier. */
export const packageAskedFor = (specifier: string): PackageAskedFor | undefined =>
  specifier.startsWith(SCHEME) ? (JSON.parse(decodeURIComponent(specifier.slice(SCHEME.length))) as PackageAskedFor) : undefined;
