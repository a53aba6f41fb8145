import type { HostedAgent } from '#core';
import { readdir } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { pathToFileURL } from 'node:url';

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
  if (!isHostedAgent(exported))
    throw new BadAgentError(`${path} does not export an agent by default (export default defineAgent({ … }))`);
  return exported;
}

function isHostedAgent(value: unknown): value is HostedAgent {
  const agent = value as Partial<HostedAgent> | null | undefined;
  return (
    typeof agent?.id === 'string' &&
    typeof agent.card === 'object' &&
    typeof agent.policy?.maxAttempts === 'number' &&
    typeof agent.executor?.execute === 'function'
  );
}

const oneLine = (err: unknown): string => String((err as Error | undefined)?.message ?? err).split('\n', 1)[0] as string;
