import { spawnSync } from 'node:child_process';

/** What `command` prints. Throws, with what it says of the reason, when it fails. */
export function runOrThrow(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 1e8, ...options });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args.join(' ')} failed: ${error?.message ?? stderr.trim()}`);
}
