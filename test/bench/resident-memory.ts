import { execFileSync } from 'node:child_process';

/** Resident memory of each process, in MiB, by the same names. */
export function residentMemory(processes: Readonly<Record<string, number>>): Record<string, number> {
  const entries = Object.entries(processes);
  return Object.fromEntries(entries.map(([name, pid]) => [name, residentMiB(pid)]));
}

const residentMiB = (pid: number): number =>
  Math.round(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024);
