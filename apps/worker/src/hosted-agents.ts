import type { HostedAgent } from '#core';
import { BadAgentError, loadAgents } from '#loader';
import { projectRoot, type Config } from '#platform';

/** The agents that this process hosts by its configuration; none without the role `execute`. Throws BadAgentError. */
export async function hostedAgents(
  config: Pick<Config, 'agents' | 'workerAgents' | 'workerRoles'>,
): Promise<readonly HostedAgent[]> {
  if (!config.workerRoles.includes('execute')) return [];
  const found = await loadAgents(config.agents, projectRoot);
  const wanted = config.workerAgents;
  const places = config.agents.join(', ');
  const missing = wanted?.filter((id) => !found.some((agent) => agent.id === id)) ?? [];
  if (missing.length > 0)
    throw new BadAgentError(`WORKER_AGENTS names agents that ${places} does not have: ${missing.join(', ')}`);
  const agents = found.filter(({ id }) => wanted?.includes(id) ?? true);
  if (agents.length === 0) throw new BadAgentError(`There is no agent in ${places}`);
  return agents;
}
