import { isIP } from 'node:net';

/** Does only this machine reach that host? */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith('127.');
  return host === '::1' || host === '[::1]' || host.toLowerCase() === 'localhost';
}
