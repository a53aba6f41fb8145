/** Whether `--only` lets the check run: one of the globs matches its id, or `id@BINDING`. No globs let everything run. */
export function isWanted(globs: readonly string[], id: string, binding?: string): boolean {
  if (globs.length === 0) return true;
  return globs.some((glob) => matches(glob, glob.includes('@') ? `${id}@${binding ?? ''}` : id));
}

function matches(glob: string, text: string): boolean {
  const pattern = glob
    .split('*')
    .map((literal) => literal.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${pattern}$`, 'i').test(text);
}
