import { jest } from '@jest/globals';
import { projectRoot } from '#platform';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { useCluster } from '../support/cluster.js';
import { startSdkAgent } from '../support/sdk-agent.js';

interface Result {
  readonly id: string;
  readonly binding?: string;
  readonly status: string;
  readonly requirement: string;
  readonly reason?: string;
}

/** `dist/probe.mjs`, as people run it. */
async function runProbe(...args: string[]): Promise<{ code: number; results: Result[] }> {
  const child = spawn(process.execPath, [join(projectRoot, 'dist', 'probe.mjs'), ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', (chunk) => (out += String(chunk)));
  const [code] = (await once(child, 'close')) as [number];
  return { code, results: (JSON.parse(out) as { results: Result[] }).results };
}

const SCRIPTS = [
  ...['--message', 'working on it\nappend a one \nappend a two\nartifact b three\ncomplete done'],
  ...['--message-that-asks', 'input which one?', '--answer', 'complete done'],
  ...['--message-that-works', 'working\nchunks 6 150\ncomplete done'],
];

describe('chorus probe', () => {
  // The default agent has one interface more: 0.3 over gRPC.
  const cluster = useCluster({ apis: 1, workers: 1, env: { CHORUS_DEFAULT_AGENT: 'script' } });
  const url = (): string => `${cluster.apiUrl(0)}/agents/script`;
  const failed = (results: readonly Result[]): Result[] => results.filter(({ status }) => status === 'failed');

  it('finds no fault in Chorus, over every interface that its card declares', async () => {
    const { code, results } = await runProbe(url(), '--allow-side-effects', ...SCRIPTS);
    expect(failed(results)).toEqual([]);
    expect(code).toBe(0);
    const passed = new Set(results.filter(({ status }) => status === 'passed').map(({ id, binding }) => `${id}@${binding}`));
    for (const binding of ['JSONRPC', 'HTTP+JSON'])
      for (const id of ['stream.adds-up', 'subscribe.resumes', 'cancel.running-task', 'list.pages', 'multi-turn.continues'])
        expect(passed).toContain(`${id}@${binding}`);
  });

  it('makes no task unless it may', async () => {
    const count = async (): Promise<number> => (await cluster.sql('select id from task')).length;
    const before = await count();
    const { code } = await runProbe(url());
    expect([code, await count()]).toEqual([0, before]);
  });
});

it("chorus probe finds what the official SDK's server does not do", async () => {
  // The SDK reports every refusal there.
  jest.spyOn(console, 'error').mockImplementation(() => undefined);
  const agent = await startSdkAgent();
  try {
    const { code, results } = await runProbe(agent.url, '--allow-side-effects');
    const missed = results.filter(({ status, requirement }) => status === 'failed' && requirement === 'MUST');
    expect(code).toBe(1);
    expect(missed.map(({ id }) => id)).toEqual(
      expect.arrayContaining([
        'version.patch',
        'rpc.invalid-request',
        'rpc.invalid-id',
        'rpc.batch',
        'rpc.notification',
        'errors.empty-parts',
        'errors.bad-role',
        'list.timestamp',
      ]),
    );
  } finally {
    await agent.stop();
    jest.restoreAllMocks();
  }
});
