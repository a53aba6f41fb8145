export {
  ConfigError,
  environmentWith,
  invocationFolder,
  loadConfig,
  loadLaunchConfig,
  overrideEnvironment,
  searchPath,
  unknownVariables,
} from './config/config.js';
export type { Config, Environment, LaunchConfig } from './config/config.js';
export { ensureEncryptionKey, readEncryptionKey } from './encryption-key.js';
export { requireSafeAddress } from './exposure.js';
export { configurationPage } from './config/config-page.js';
export { createLogger } from './logger.js';
export type { ProcessLogger } from './logger.js';
export { migrationsDirectory, projectRoot, protoDirectory } from './project-root.js';
export { lockDataDirectory } from './servers/data-directory.js';
export type { DataDirectory } from './servers/data-directory.js';
export { runningPostgresUrl } from './embedded-postgres/running-postgres-url.js';
export { EmbeddedPostgres } from './embedded-postgres/embedded-postgres.js';
export type { EmbeddedPostgresOptions } from './embedded-postgres/embedded-postgres.js';
export { canListen, freePort } from './servers/free-port.js';
export { RedisServer, findRedisServer } from './servers/redis-server.js';
export type { RedisServerOptions } from './servers/redis-server.js';
export { stopSignal } from './stop-signal.js';
export { StartError } from './start-error.js';
