import {
  InMemoryAgentMemoryStore,
  InMemoryBusNetwork,
  InMemoryDatabase,
  InMemoryEventBus,
  InMemoryQueueServer,
  InMemoryTaskStore,
  InMemoryTurnStore,
  InMemoryWorkQueue,
} from '#testing';
import type { Message, Task } from '#protocol';
import { ANONYMOUS, type CallContext } from '../call-context.js';
import type { AgentEvent, ExecutionContext } from '../execution/agent-executor.js';
import { hosted } from '../execution/controlled-agent.spec-support.js';
import { EventPublisher } from '../execution/event-publisher.js';
import type { HostedAgent } from '../execution/hosted-agent.js';
import { TaskRunner } from '../execution/task-runner.js';
import { SILENT } from '../logger.js';
import { TaskReaders } from '../readers/task-readers.js';
import { createRequestHandler } from './create-request-handler.js';
import type { PushSetup } from './push-configs.js';

const NEVER = 2 ** 30;

export const ctx: CallContext = { tenant: '', principal: ANONYMOUS, agentId: 'a', extensions: [] };
export const message: Message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] };

/**
 * The operations of one API process and one worker over stores in memory. Readers never compare themselves with the store:
 * what a wrong order loses stays lost. The worker runs what it is told to run; each turn yields the next of its scripts.
 */
export async function operationsWith(agent: Partial<HostedAgent> = {}, database = new InMemoryDatabase(), push?: PushSetup) {
  const network = new InMemoryBusNetwork();
  const queue = new InMemoryQueueServer();
  const bus = new InMemoryEventBus(network);
  const store = new InMemoryTaskStore(database);
  const readers = new TaskReaders(store, bus, SILENT, { replicaId: 'api-1', compareMs: NEVER, pollMs: NEVER });
  await readers.start();
  const scripts: AgentEvent[][] = [];
  const contexts: ExecutionContext[] = [];
  const definition = hosted(
    {
      async *execute(context) {
        contexts.push(context);
        yield* scripts.shift() ?? [];
      },
    },
    agent,
  );
  const handler = createRequestHandler({
    agents: { find: async () => definition },
    store,
    queue: new InMemoryWorkQueue(queue),
    bus,
    readers,
    logger: SILENT,
    pageTokenKey: Buffer.alloc(32),
    cancelGraceMs: 1000,
    ...(push ? { push } : {}),
  });
  const runner = new TaskRunner(
    [definition],
    {
      store: new InMemoryTurnStore(database),
      queue: { enqueue: async () => {} },
      publisher: new EventPublisher(bus, SILENT),
      leases: { hold: () => {}, release: () => {} },
      clock: { now: Date.now },
      memory: new InMemoryAgentMemoryStore(database),
      fetch: () => Promise.reject(new Error('There is no network here')),
      logger: SILENT,
    },
    { workerId: 'w', concurrency: 1, leaseMs: 60_000, turnTimeoutMs: 60_000, silenceTimeoutMs: 60_000, cancelGraceMs: 1000 },
  );
  const calls: string[] = [];
  database.gate = (call, phase) => void (phase === 'request' && calls.push(call));

  const lastTask = (): string => [...database.tasks.keys()].at(-1) as string;
  const accepted = async (count = 1): Promise<void> => {
    while (queue.enqueued.length < count) await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    ...{ database, network, queue, store, bus, readers, handler, contexts, lastTask, accepted },
    /** The store's methods as they are called. */
    calls,
    /** Runs the next turn of the last task that was made; the agent yields `events`. */
    async run(...events: AgentEvent[]): Promise<void> {
      scripts.push(events);
      await runner.run({ agentId: 'a', taskId: lastTask(), turn: 0, epoch: 0 });
    },
    /** What GetTask answers. */
    read: async (taskId: string): Promise<Task> => JSON.parse(await handler.getTask(ctx, { id: taskId })) as Task,
    close: () => readers.close(),
  };
}

export type Operations = Awaited<ReturnType<typeof operationsWith>>;
