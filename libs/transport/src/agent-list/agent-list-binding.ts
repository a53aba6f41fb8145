import { fitsFilter, type AgentFilter, type Caller } from '#core';
import { InvalidParamsError } from '#protocol';
import { isDefaultAgent } from '../agent-card/card-binding.js';
import type { Host } from '../host.js';
import type { HttpRequest, TextAnswer } from '../http.js';
import { JSON_TYPE } from '../media-type.js';
import { queryOf } from '../query.js';
import { uncached } from '../response-headers.js';

const FILTERS: readonly (keyof AgentFilter)[] = ['skill', 'tag', 'mode', 'extension', 'q'];

/**
 * Answers `GET /agents`: the agents that the caller's credential is for and that the query asks for, by id, each with its card of 1.0 as it
 * is served, and with how many workers host it now. It is no part of A2A. Rejects with InvalidParamsError for a parameter that there
 * is not.
 */
export async function answerAgentList(host: Host, request: HttpRequest, { agents: granted }: Caller): Promise<TextAnswer> {
  const filter = filterOf(queryOf(request.url));
  const agents = (await host.agents.list()).filter((agent) => granted?.has(agent.id) !== false && fitsFilter(agent, filter));
  const entries = agents.map(async (agent) => {
    const isDefault = await isDefaultAgent(host, agent);
    const { body } = await host.cards.of(agent, request.origin, { form: '1.0', isDefault });
    const { id, workers } = agent;
    return `{"id":${JSON.stringify(id)},"default":${isDefault},"workers":${workers},"card":${body}}`;
  });
  return { status: 200, headers: uncached(JSON_TYPE), body: `{"agents":[${(await Promise.all(entries)).join(',')}]}` };
}

function filterOf(query: Readonly<Record<string, string | readonly string[]>>): AgentFilter {
  const unknown = Object.keys(query).filter((name) => !(FILTERS as readonly string[]).includes(name));
  if (unknown.length > 0) {
    const description = `is no parameter; there are ${FILTERS.join(', ')}`;
    throw new InvalidParamsError(unknown.map((field) => ({ field, description })));
  }
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, typeof value === 'string' ? [value] : value]));
}
