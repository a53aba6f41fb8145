import type { HostedAgent } from '#core';
import type { Config } from '#platform';
import { BadAgentError, loadAgents } from './load-agents.js';

/** The agents that this process hosts by its configuration; none without the role `execute`. Throws BadAgentError. */
export async function hostedAgents(
  config: Pick<Config, 'agentsDir' | 'workerAgents' | 'workerRoles'>,
): Promise<readonly HostedAgent[]> {
  if (!config.workerRoles.includes('execute')) return [];
  const directory = config.agentsDir;
  const found = await loadAgents(directory);
  const wanted = config.workerAgents;
  const missing = wanted?.filter((id) => !found.some((agent) => agent.id === id)) ?? [];
  if (missing.length > 0)
    throw new BadAgentError(`WORKER_AGENTS names agents that ${directory} does not have: ${missing.join(', ')}`);
  const agents = found.filter(({ id }) => wanted?.includes(id) ?? true);
  if (agents.length === 0) throw new BadAgentError(`There is no agent in ${directory}`);
  return agents;
}
