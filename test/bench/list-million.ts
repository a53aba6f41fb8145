import { call } from './call.js';
import { startChorus } from './chorus-target.js';
import { LoadGenerator } from './load/load-generator.js';
import { preload } from './preload.js';
import { PAGE } from './scenarios.js';

const AGENT = 'list-1m';
const TASKS = 1_000_000;
const SMALL_AGENT = 'list-10k';
const SMALL = 10_000;
const OF_10K = 'no filter, of 10,000';

interface Times {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/**
 * ListTasks of an agent with a million tasks, with each filter, and beside it the first page of one with ten thousand;
 * milliseconds by the kind of page, and the ratio of the two first pages.
 */
export async function listMillion({ redis }: { redis: boolean }): Promise<{ times: Record<string, Times>; ratio: number }> {
  const chorus = await startChorus({ redis });
  const load = new LoadGenerator();
  try {
    console.log('Loading 1,000,000 tasks …');
    await preload(chorus, SMALL_AGENT, SMALL);
    await preload(chorus, AGENT, TASKS);
    const first = await call<{
      tasks: { contextId: string; status: { timestamp: string } }[];
      totalSize: number;
      nextPageToken: string;
    }>(chorus.port, AGENT, 'ListTasks', PAGE);
    if (first.totalSize !== TASKS) throw new Error(`totalSize is ${first.totalSize}, loaded were ${TASKS}`);
    const [newest] = first.tasks as [(typeof first.tasks)[number]];
    const pages: readonly [string, object, number, agentId?: string][] = [
      [OF_10K, PAGE, 50, SMALL_AGENT],
      ['no filter', PAGE, 50],
      ['second page', { ...PAGE, pageToken: first.nextPageToken }, 50],
      ['one state', { ...PAGE, status: 'TASK_STATE_COMPLETED' }, 50],
      ['one context', { ...PAGE, contextId: newest.contextId }, 1],
      [
        'half of them by time',
        { ...PAGE, statusTimestampAfter: new Date(Date.parse(newest.status.timestamp) - 500_000).toISOString() },
        50,
      ],
    ];
    const times: Record<string, Times> = {};
    for (const [name, params, tasks, agentId = AGENT] of pages) {
      const plan = { kind: 'list', agentId, params, tasks } as const;
      const { p50Ms, p99Ms, errors, firstError } = await load.run({
        port: chorus.port,
        connections: 1,
        warmUpMs: 500,
        measureMs: 3000,
        maxRequests: 5000,
        plan,
      });
      if (errors > 0) throw new Error(`${name}: ${errors} wrong answers, the first: ${firstError}`);
      times[name] = { p50Ms, p99Ms };
      console.log(`ListTasks of 1,000,000, ${name}: p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`);
    }
    const ratio = (times['no filter'] as Times).p50Ms / (times[OF_10K] as Times).p50Ms;
    console.log(`A first page of 1,000,000 takes ${ratio.toFixed(2)} times as long as one of 10,000`);
    return { times, ratio };
  } finally {
    load.stop();
    await chorus.stop();
  }
}
