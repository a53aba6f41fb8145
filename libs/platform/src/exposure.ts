import { ConfigError, type LaunchConfig } from './config/config.js';
import { isLoopback } from './loopback.js';

/**
 * Whoever reaches an API without authentication may read and change everything: then it listens on this machine only, unless
 * CHORUS_INSECURE says that something else keeps strangers out.
 * @throws ConfigError
 */
export function requireSafeAddress({ host, auth, insecure }: Pick<LaunchConfig, 'host' | 'auth' | 'insecure'>): void {
  if (auth !== undefined || insecure || isLoopback(host)) return;
  throw new ConfigError(
    `HOST is ${host}, which the network reaches, and nobody would be asked for a credential: set CHORUS_AUTH=apikey, or CHORUS_INSECURE=true when only those you trust can reach it`,
  );
}
