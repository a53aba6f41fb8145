import {
  InMemoryBusNetwork,
  InMemoryDatabase,
  InMemoryEventBus,
  InMemoryQueueServer,
  InMemoryTaskStore,
  InMemoryTurnStore,
  InMemoryWorkQueue,
} from '#testing';
import type { StreamResponse } from '#protocol';
import { ANONYMOUS, type CallContext } from '../call-context.js';
import { statusEvent, statusFrame } from '../execution/status-event.js';
import { SILENT } from '../logger.js';
import type { AgentDefinition } from '../ports/agent-registry.js';
import { TaskReaders } from '../readers/task-readers.js';
import type { Frame, FrameStream, RequestHandler } from '../request-handler.js';
import { createRequestHandler } from './create-request-handler.js';

const AGENT: AgentDefinition = {
  id: 'a',
  card: {
    name: 'A',
    description: 'A',
    version: '1',
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [],
  },
  policy: { recovery: 'retry', maxAttempts: 3 },
  answers: 'task',
};
const NEVER = 2 ** 30;
const ctx: CallContext = { tenant: '', principal: ANONYMOUS, agentId: 'a', extensions: [] };
const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'hi' }] };

/** Readers never compare themselves with the store here: what a wrong order loses stays lost. */
describe('the three orders', () => {
  let database: InMemoryDatabase;
  let network: InMemoryBusNetwork;
  let queue: InMemoryQueueServer;
  let readers: TaskReaders;
  let handler: RequestHandler;
  beforeEach(async () => {
    database = new InMemoryDatabase();
    network = new InMemoryBusNetwork();
    queue = new InMemoryQueueServer();
    const bus = new InMemoryEventBus(network);
    const store = new InMemoryTaskStore(database);
    readers = new TaskReaders(store, bus, SILENT, { replicaId: 'api-1', compareMs: NEVER, pollMs: NEVER });
    await readers.start();
    handler = createRequestHandler({
      agents: { find: async () => AGENT },
      store,
      queue: new InMemoryWorkQueue(queue),
      bus,
      readers,
      logger: SILENT,
      pageTokenKey: Buffer.alloc(32),
      cancelGraceMs: 1000,
    });
  });
  afterEach(() => readers.close());

  /** A worker as fast as can be: claims, completes, publishes. */
  async function complete(taskId: string): Promise<void> {
    const turns = new InMemoryTurnStore(database);
    const claim = await turns.claim({ taskId, workerId: 'w', leaseMs: 1000, policy: AGENT.policy, contract: 1 });
    if (!claim) throw new Error('not claimable');
    const event = statusEvent({ taskId, contextId: 'c' }, 'TASK_STATE_COMPLETED', Date.now());
    const { fence, turn, attempt, appendNo } = claim;
    const result = await turns.append({
      fence,
      number: appendNo + 1,
      turn,
      attempt,
      leaseMs: 1000,
      events: [event],
      endsTurn: true,
      list: false,
    });
    if (result.outcome !== 'appended') throw new Error(result.outcome);
    const published = {
      ...{ taskId, sequence: result.first, kind: 'status' as const, state: result.finalState, turn, endsTurn: true },
      payload: statusFrame(event, result.finalState),
    };
    network.send([`replica:${claim.origin}`, `task:${taskId}`], { type: 'events', taskId, events: [published] });
  }

  const onlyTask = (): string => [...database.tasks.keys()].at(-1) as string;

  async function framesOf(stream: FrameStream): Promise<StreamResponse[]> {
    const frames: Frame[] = [];
    for await (const batch of stream) frames.push(...batch);
    return frames.map(({ payload }) => JSON.parse(payload) as StreamResponse);
  }

  it('subscribe before enqueue: a task that ends within its accept is seen to end', async () => {
    database.gate = async (call, phase) => {
      if (call !== 'acceptNew' || phase !== 'answer') return;
      database.gate = () => undefined;
      await complete(onlyTask());
    };
    const answer = JSON.parse(await handler.sendMessage(ctx, { message })) as { task: { status: { state: string } } };
    expect(answer.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('subscribe before enqueue: so is the turn that a follow-up starts', async () => {
    await handler.sendMessage(ctx, { message, configuration: { returnImmediately: true } });
    const taskId = onlyTask();
    const { origin } = database.tasks.get(taskId) as unknown as { origin: string };
    expect(origin).toBe('api-1');
    Object.assign(database.tasks.get(taskId) as object, { origin: 'another-replica' });
    database.gate = async (call, phase) => {
      if (call !== 'acceptFollowUp' || phase !== 'answer') return;
      database.gate = () => undefined;
      await complete(taskId);
      await complete(taskId);
    };
    const answer = JSON.parse(await handler.sendMessage(ctx, { message: { ...message, taskId } })) as {
      task: { status: { state: string } };
    };
    expect(answer.task.status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('commit before hint: when the queue hears of a task, the store has it', async () => {
    await handler.sendMessage(ctx, { message, configuration: { returnImmediately: true } });
    expect(queue.enqueued.map(({ taskId }) => taskId)).toEqual([onlyTask()]);
    database.available = false;
    await expect(handler.sendMessage(ctx, { message })).rejects.toMatchObject({ name: 'UnavailableError' });
    expect(queue.enqueued).toHaveLength(1);
  });

  it('replay before live: what happens while a subscriber reads the task is delivered after it', async () => {
    await handler.sendMessage(ctx, { message, configuration: { returnImmediately: true } });
    const taskId = onlyTask();
    Object.assign(database.tasks.get(taskId) as object, { origin: 'another-replica' });
    database.gate = async (call, phase) => {
      if (call !== 'get' || phase !== 'answer') return;
      database.gate = () => undefined;
      await complete(taskId);
    };
    const frames = await framesOf(await handler.subscribeToTask(ctx, { id: taskId }));
    expect(frames.map(({ task, statusUpdate }) => (task ?? statusUpdate)?.status.state)).toEqual([
      'TASK_STATE_SUBMITTED',
      'TASK_STATE_COMPLETED',
    ]);
  });

  it('replay before live: a resumed stream serves the log first, whatever arrives live', async () => {
    await handler.sendMessage(ctx, { message, configuration: { returnImmediately: true } });
    const taskId = onlyTask();
    await handler.sendMessage(ctx, { message: { ...message, taskId }, configuration: { returnImmediately: true } });
    const stream = await handler.subscribeToTask(ctx, { id: taskId }, 1);
    await complete(taskId);
    await complete(taskId);
    const sequences: number[] = [];
    for await (const batch of stream) sequences.push(...batch.map(({ sequence }) => sequence));
    expect(sequences).toEqual([1, 2, 3, 4]);
  });
});
