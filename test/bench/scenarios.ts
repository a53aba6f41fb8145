import { makeTask } from './call.js';
import type { RequestPlan } from './load/requests.js';
import type { Target } from './target.js';

export interface Scenario {
  /** Its name among the ratios. */
  readonly key: string;
  readonly title: string;
  readonly connections: number;
  /** What it needs of the server is made here, before anything is measured. */
  prepare(target: Target): Promise<RequestPlan>;
}

export const PAGE = { pageSize: 50 };
/** The Task, a hundred chunks, COMPLETED. */
export const STREAM_FRAMES = 102;
const TASKS_TO_GET = 50;

const send = (connections: number): Scenario => ({
  key: `send_c${connections}`,
  title: `blocking SendMessage, ${connections} connections`,
  connections,
  prepare: async () => ({ kind: 'send', agentId: 'echo' }),
});

const stream = (connections: number): Scenario => ({
  key: `stream100_c${connections}`,
  title: `streams of 100 chunks, ${connections} at once`,
  connections,
  prepare: async () => ({ kind: 'stream', agentId: 'hundred', frames: STREAM_FRAMES }),
});

const get = (connections: number): Scenario => ({
  key: `get_c${connections}`,
  title: `GetTask, ${connections} connections`,
  connections,
  async prepare({ port }) {
    const taskIds = await Promise.all(Array.from({ length: TASKS_TO_GET }, (_, n) => makeTask(port, 'echo', `get-${n}`)));
    return { kind: 'get', agentId: 'echo', taskIds };
  },
});

const list = (size: string): Scenario => ({
  key: `list_${size}`,
  title: `ListTasks, page of 50 of ${size} tasks`,
  connections: 1,
  prepare: async () => ({ kind: 'list', agentId: `list-${size}`, params: PAGE, tasks: PAGE.pageSize }),
});

/** The tasks that each agent must have before: `lists` of the servers. */
export const LISTS = { 'list-10k': 10_000, 'list-100k': 100_000 } as const;

export const SCENARIOS: readonly Scenario[] = [
  ...[1, 10, 50, 200].map(send),
  get(50),
  ...[1, 10, 50].map(stream),
  list('10k'),
  list('100k'),
];
