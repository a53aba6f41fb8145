import type { AgentDirectory, Logger, RequestHandler } from '#core';
import type { AgentCapabilities, Limits } from '#protocol';
import type { Cors } from './cors.js';

/** What both bindings stand on. */
export interface Host {
  readonly handler: RequestHandler;
  readonly agents: Pick<AgentDirectory, 'find' | 'findDefault'>;
  readonly limits: Limits;
  readonly cors: Cors;
  readonly logger: Logger;
}

/** Newest first. */
export const SUPPORTED_VERSIONS: readonly string[] = Object.freeze(['1.0']);

/** What every agent on this host can do; its card says the same. */
export const HOST_CAPABILITIES: AgentCapabilities = Object.freeze({
  streaming: true,
  pushNotifications: false,
  extendedAgentCard: false,
});
