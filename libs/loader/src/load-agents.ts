import type { HostedAgent } from '#core';
import { invocationFolder, projectRoot } from '#platform';
import { readdir } from 'node:fs/promises';
import { join, parse, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { agentSource, shownEntry } from './agent-source.js';
import { packageSpecifier } from './package-specifier.js';

/** What `defineAgent` leaves on an agent that it has checked; see libs/agents. */
const DEFINED = Symbol.for('chorus.agent');

/** An agent file that cannot be hosted. The message is one line that names the file and the fault. */
export class BadAgentError extends Error {
  override readonly name = 'BadAgentError';
}

/**
 * The agents of folders, files and packages, sorted by id. An entry is a path, seen from `base`, or the name of a package; a file or a
 * package exports one agent, or a list of them, by default. In a folder a `.ts` file beside the `.js` that was built from it is left
 * out. Throws BadAgentError for the first that is none, and for two agents of one id.
 */
export async function loadAgents(entries: readonly string[], base: string): Promise<readonly HostedAgent[]> {
  const agents = new Map<string, { agent: HostedAgent; file: string }>();
  for (const entry of entries) {
    for (const { specifier, file } of await modulesOf(entry, base)) {
      for (const agent of await loadModule(specifier, file)) {
        const twin = agents.get(agent.id);
        if (twin) throw new BadAgentError(`${file}: the agent id "${agent.id}" is taken by ${twin.file}`);
        agents.set(agent.id, { agent, file });
      }
    }
  }
  return [...agents.values()].map(({ agent }) => agent).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** What to import, and what to call it in a message. */
interface AgentModule {
  readonly specifier: string;
  readonly file: string;
}

async function modulesOf(entry: string, base: string): Promise<readonly AgentModule[]> {
  const source = agentSource(entry, base);
  if (!source) throw new BadAgentError(`The agents' folder or file ${shownEntry(entry, base)} is not there`);
  if (source.kind === 'package') {
    await useHooks();
    return [{ specifier: packageSpecifier(source.name, [invocationFolder(), source.from]), file: source.name }];
  }
  const files = source.kind === 'file' ? [source.path] : (await agentFiles(source.path)).map((name) => join(source.path, name));
  if (files.some((file) => isForeign(file))) await useHooks();
  return files.map((file) => ({ specifier: pathToFileURL(file).href, file }));
}

/** Node cannot import it as it is: TypeScript, or a file from where no `chorus/agents` is found. */
const isForeign = (file: string): boolean => /\.m?ts$/.test(file) || relative(projectRoot, file).startsWith('..');

/**
 * Once, and only where they are needed: they cost a thread. Run from its source this has none to register: whoever runs TypeScript, as
 * Jest does, resolves and compiles what it imports as well.
 */
async function useHooks(): Promise<void> {
  if (!import.meta.url.endsWith('.ts')) await import('./register.js');
}

async function agentFiles(directory: string): Promise<string[]> {
  let entries: string[];
  try {
    entries = await readdir(directory);
  } catch (err) {
    throw new BadAgentError(`The agents' folder ${directory} cannot be read: ${oneLine(err)}`);
  }
  const names = entries.filter((name) => /^[^._].*\.m?[jt]s$/.test(name) && !/\.(spec|test|d|config)\.\w+$/.test(name)).sort();
  const built = new Set(names.filter((name) => !name.endsWith('ts')).map((name) => parse(name).name));
  return names.filter((name) => !name.endsWith('ts') || !built.has(parse(name).name));
}

async function loadModule(specifier: string, file: string): Promise<readonly HostedAgent[]> {
  let exported: unknown;
  try {
    exported = ((await import(specifier)) as { default?: unknown }).default;
  } catch (err) {
    throw new BadAgentError(`${file} cannot be loaded: ${oneLine(err)}`);
  }
  const agents = Array.isArray(exported) ? (exported as unknown[]) : [exported];
  if (agents.length === 0 || !agents.every(isDefined))
    throw new BadAgentError(`${file} does not export an agent by default (export default defineAgent({ … }))`);
  return agents;
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
