import { watchedPaths } from '#loader';
import { projectRoot } from '#platform';
import type { Storage } from './storage.js';
import { readdirSync, statSync } from 'node:fs';
import { parse } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 5000;

export interface Announced {
  readonly baseUrl: string;
  /** Host and port; undefined when gRPC is not served. */
  readonly grpcAddress: string | undefined;
  /** As CHORUS_AGENTS has them. */
  readonly agents: readonly string[];
  readonly workers: number;
  /** Are callers asked for an API key? */
  readonly asksForKey: boolean;
  readonly storage: Storage;
}

/** What `up` prints when everything runs: the addresses, and one command that works if it is pasted. */
export async function announcement({ baseUrl, grpcAddress, agents, workers, asksForKey, storage }: Announced): Promise<string> {
  const agent = workers === 0 ? undefined : await servedAgent(baseUrl, agents);
  const lines = [
    '',
    'Chorus runs.',
    `  API       ${baseUrl}`,
    ...(grpcAddress === undefined ? [] : [`  gRPC      ${grpcAddress}`]),
    ...(agent === undefined ? [] : [`  card      ${baseUrl}/agents/${agent}/.well-known/agent-card.json`]),
    `  access    ${asksForKey ? 'with an API key' : 'anyone on this machine; CHORUS_AUTH=apikey asks for a key'}`,
    `  workers   ${workers}`,
    `  Postgres  ${storage.description.postgres}`,
    `  Redis     ${storage.description.redis}`,
    ...(agent === undefined ? [] : ['', 'Try it:', ...tryIt(baseUrl, agent, asksForKey).map((line) => `  ${line}`)]),
    '',
    'Ctrl-C stops all of it; the data stays.',
    '',
  ];
  return lines.join('\n');
}

const tryIt = (baseUrl: string, agentId: string, asksForKey: boolean): readonly string[] =>
  asksForKey
    ? ['KEY=$(npm run -s chorus -- keys create --principal me)', `${curlCommand(baseUrl, agentId)} -H "x-api-key: $KEY"`]
    : [curlCommand(baseUrl, agentId)];

export function curlCommand(baseUrl: string, agentId: string): string {
  const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } });
  return `curl -s ${baseUrl}/agents/${agentId} -H 'content-type: application/json' -H 'a2a-version: 1.0' -d '${body}'`;
}

/** The echo agent, or another whose file is called as it is; undefined when none is served soon. */
async function servedAgent(baseUrl: string, agents: readonly string[]): Promise<string | undefined> {
  const names = ['echo', ...watchedPaths(agents, projectRoot).flatMap(agentNames)];
  const deadline = performance.now() + PATIENCE_MS;
  do {
    for (const name of new Set(names)) {
      const response = await fetch(`${baseUrl}/agents/${name}/.well-known/agent-card.json`).catch(() => undefined);
      await response?.arrayBuffer();
      if (response?.ok) return name;
    }
    await sleep(100);
  } while (performance.now() < deadline);
  return undefined;
}

function agentNames(place: string): string[] {
  try {
    const files = statSync(place).isDirectory() ? readdirSync(place) : [place];
    return files.filter((file) => /\.m?[jt]s$/.test(file)).map((file) => parse(file).name);
  } catch {
    return [];
  }
}
