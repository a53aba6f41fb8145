import { existsSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '../start-error.js';
import { commandOf, gone, isAlive, signal } from '../servers/processes.js';

/** The file in which a running Postgres says who it is and how it is. */
export const postmasterFile = (data: string): string => join(data, 'postmaster.pid');

/** Whether the server accepts connections. */
export function isReady(data: string, pid: number): boolean {
  const lines = readLines(data);
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready';
}

/** The port of the server that accepts connections on this data; undefined when there is none. */
export function runningPort(data: string): number | undefined {
  const [pid, , , port] = readLines(data).map(Number);
  if (pid === undefined || !isReady(data, pid) || !isAlive(pid)) return undefined;
  return port;
}

/**
 * Ends a server that a killed owner of this data left behind, and removes the trace of one that is gone.
 * Whoever calls it owns the data folder now.
 */
export async function endOrphan(data: string): Promise<void> {
  const pid = Number(readLines(data)[0]);
  if (!Number.isInteger(pid) || pid <= 0) return;
  if (!isAlive(pid) || !servesData(pid, data)) {
    rmSync(postmasterFile(data), { force: true });
    return;
  }
  for (const [name, patienceMs] of [
    ['SIGINT', 10_000],
    ['SIGQUIT', 5000],
    ['SIGKILL', 5000],
  ] as const) {
    if (!signal(pid, name) || (await gone(pid, patienceMs))) return;
  }
  throw new StartError(`A Postgres of an earlier start (process ${pid}) does not end: end it, then start again`);
}

/** Postgres works in its data folder; without /proc its command line has to do. */
function servesData(pid: number, data: string): boolean {
  try {
    if (existsSync('/proc/self/cwd')) return readlinkSync(`/proc/${pid}/cwd`) === data;
  } catch {
    return false;
  }
  return commandOf(pid).includes(data);
}

function readLines(data: string): string[] {
  try {
    return readFileSync(postmasterFile(data), 'utf8').split('\n');
  } catch {
    return [];
  }
}
