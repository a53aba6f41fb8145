import { readFileSync } from 'node:fs';

/** The kernel counts a timer in ticks of 10 ms, whatever its own clock. */
const TICKS_PER_SECOND = 100;
const ESTABLISHED = '01';
const KEEP_ALIVE = '02';

export interface PortOfSockets {
  /** Connections to this port. */
  readonly remote?: number;
  /** Connections that this port took. */
  readonly local?: number;
}

/**
 * Of each open TCP connection with that port: the seconds until the kernel asks its peer for a sign of life; undefined when it
 * would never ask, or has bytes under way. Linux only: it is read from /proc/net.
 */
export function keepAliveTimers({ remote, local }: PortOfSockets): (number | undefined)[] {
  const timers: (number | undefined)[] = [];
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readFileSync(file, 'utf8').trim().split('\n').slice(1)) {
      const [, from = '', to = '', state, , timer = ''] = line.trim().split(/\s+/);
      if (state !== ESTABLISHED) continue;
      if (portOf(remote === undefined ? from : to) !== (remote ?? local)) continue;
      const [kind, ticks = ''] = timer.split(':');
      timers.push(kind === KEEP_ALIVE ? parseInt(ticks, 16) / TICKS_PER_SECOND : undefined);
    }
  }
  return timers;
}

/** A suite that looks at the kernel's timers. On another system than Linux it is reported as skipped, under its name. */
export const describeOnLinux = (name: string, suite: () => void): void =>
  process.platform === 'linux' ? describe(name, suite) : describe.skip(`${name} (needs Linux)`, suite);

const portOf = (address: string): number => parseInt(address.split(':')[1] ?? '', 16);
