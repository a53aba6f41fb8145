import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';

/** Signals a process and then its children. Postgres puts each backend into a process group of its own: no group signal reaches all. */
export function signalTree(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): void {
  // Parents are stopped first, so that nobody starts a child that would be missed; they are continued last.
  const pids = [pid];
  if (signal === 'SIGSTOP') process.kill(pid, signal);
  pids.push(...childrenOf(pid));
  for (const one of signal === 'SIGSTOP' ? pids.slice(1) : pids.reverse()) {
    try {
      process.kill(one, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

function childrenOf(parent: number): number[] {
  if (!existsSync('/proc/self/stat')) {
    const lines = execFileSync('ps', ['-axo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
    return lines
      .map((line) => line.trim().split(/\s+/).map(Number))
      .flatMap(([pid, ppid]) => (ppid === parent ? [pid as number] : []));
  }
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent);
}

function parentOf(pid: number): number | undefined {
  try {
    const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '';
    return Number(afterName.split(' ')[1]);
  } catch {
    return undefined;
  }
}
