import type { HostedAgent } from '#core';
import { readdir } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What `defineAgent` leaves on an agent that it has checked; see libs/agents. */
const DEFINED = Symbol.for('chorus.agent');

/** An agent file that cannot be hosted. The message is one line that names the file and the fault. */
export class BadAgentError extends Error {
  override readonly name = 'BadAgentError';
}

/**
 * The agents that the files of `directory` export by default, sorted by id. A `.ts` file beside the `.js` that was built
 * from it is left out. Throws BadAgentError for the first file that is none, and for two agents of one id.
 */
export async function loadAgents(directory: string): Promise<readonly HostedAgent[]> {
  const agents = new Map<string, { agent: HostedAgent; file: string }>();
  for (const file of await agentFiles(directory)) {
    const agent = await loadAgent(join(directory, file));
    const twin = agents.get(agent.id);
    if (twin) throw new BadAgentError(`${join(directory, file)}: the agent id "${agent.id}" is taken by ${twin.file}`);
    agents.set(agent.id, { agent, file });
  }
  return [...agents.values()].map(({ agent }) => agent).sort((a, b) => (a.id < b.id ? -1 : 1));
}

async function agentFiles(directory: string): Promise<string[]> {
  let entries: string[];
  try {
    entries = await readdir(directory);
  } catch (err) {
    throw new BadAgentError(`The agents' folder ${directory} cannot be read: ${oneLine(err)}`);
  }
  const names = entries.filter((name) => /^[^._].*\.(js|mjs|ts)$/.test(name) && !/\.(spec|test|d)\.\w+$/.test(name)).sort();
  const built = new Set(names.filter((name) => !name.endsWith('.ts')).map((name) => parse(name).name));
  return names.filter((name) => !name.endsWith('.ts') || !built.has(parse(name).name));
}

async function loadAgent(path: string): Promise<HostedAgent> {
  let exported: unknown;
  try {
    exported = ((await import(pathToFileURL(path).href)) as { default?: unknown }).default;
  } catch (err) {
    throw new BadAgentError(`${path} cannot be loaded: ${oneLine(err)}`);
  }
  if (!isDefined(exported))
    throw new BadAgentError(`${path} does not export an agent by default (export default defineAgent({ … }))`);
  return exported;
}

const isDefined = (value: unknown): value is HostedAgent =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, DEFINED);

/** Errors whose further lines are a list of what is wrong; by name, as an agents' folder may have a copy of Chorus of its own. */
const LISTS_FAULTS = new Set(['InvalidAgentCardError', 'AgentOptionsError']);

function oneLine(err: unknown): string {
  const { name, message = String(err) } = (err ?? {}) as Partial<Error>;
  const [first = '', ...faults] = String(message).split('\n');
  return LISTS_FAULTS.has(name as string) ? [first, faults.map((fault) => fault.trim()).join('; ')].join(' ').trim() : first;
}
