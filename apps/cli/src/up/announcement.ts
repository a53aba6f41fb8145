import type { Storage } from './storage.js';
import { readdirSync } from 'node:fs';
import { parse } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 5000;

export interface Announced {
  readonly baseUrl: string;
  /** Host and port; undefined when gRPC is not served. */
  readonly grpcAddress: string | undefined;
  readonly agentsDir: string;
  readonly workers: number;
  readonly storage: Storage;
}

/** What `up` prints when everything runs: the addresses, and one command that works if it is pasted. */
export async function announcement({ baseUrl, grpcAddress, agentsDir, workers, storage }: Announced): Promise<string> {
  const agent = workers === 0 ? undefined : await servedAgent(baseUrl, agentsDir);
  const lines = [
    '',
    'Chorus runs.',
    `  API       ${baseUrl}`,
    ...(grpcAddress === undefined ? [] : [`  gRPC      ${grpcAddress}`]),
    ...(agent === undefined ? [] : [`  card      ${baseUrl}/agents/${agent}/.well-known/agent-card.json`]),
    `  workers   ${workers}`,
    `  Postgres  ${storage.description.postgres}`,
    `  Redis     ${storage.description.redis}`,
    ...(agent === undefined ? [] : ['', 'Try it:', `  ${curlCommand(baseUrl, agent)}`]),
    '',
    'Ctrl-C stops all of it; the data stays.',
    '',
  ];
  return lines.join('\n');
}

export function curlCommand(baseUrl: string, agentId: string): string {
  const message = { messageId: 'm1', role: 'ROLE_USER', parts: [{ text: 'hello' }] };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } });
  return `curl -s ${baseUrl}/agents/${agentId} -H 'content-type: application/json' -H 'a2a-version: 1.0' -d '${body}'`;
}

/** The echo agent, or another whose file is called as it is; undefined when none is served soon. */
async function servedAgent(baseUrl: string, agentsDir: string): Promise<string | undefined> {
  const names = ['echo', ...agentNames(agentsDir)];
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

function agentNames(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => /\.m?js$/.test(file))
      .map((file) => parse(file).name);
  } catch {
    return [];
  }
}
