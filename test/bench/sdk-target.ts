import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Target } from './target.js';

/** Starts the official SDK's in-memory Express server, with so many tasks in each agent's list. */
export async function startSdk(lists: Readonly<Record<string, number>>): Promise<Target> {
  const tasks = Object.entries(lists).map(([agentId, count]) => `${agentId}=${count}`);
  // The settings of an operator, not of a developer: Express writes stack traces and re-reads its settings otherwise.
  const child = fork(fileURLToPath(new URL('./sdk-server.js', import.meta.url)), tasks, {
    env: { NODE_ENV: 'production' },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const [{ port }] = (await once(child, 'message')) as [{ port: number }];
  return {
    name: 'sdk',
    port,
    processes: () => ({ server: child.pid as number }),
    async stop() {
      const exit = once(child, 'exit');
      child.disconnect();
      await exit;
    },
  };
}
