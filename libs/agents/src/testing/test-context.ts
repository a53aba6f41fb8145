import { SILENT, type AgentEvent, type ExecutionContext, type HostedAgent } from '#core';
import type { JsonValue, Message, Task } from '#protocol';
import { text } from '../parts.js';
import { TestMemory } from './test-memory.js';

/** What a test says of the turn; the rest is the first attempt of the first turn of a new task. */
export type TestTurn = Partial<Omit<ExecutionContext, 'message' | 'history' | 'checkpoint'>> & {
  /** Is told of each checkpoint. */
  readonly onCheckpoint?: (value: JsonValue) => void;
};

/**
 * What `execute` is given, for a test: without a host, so that nothing is recorded. `context.fetch` rejects unless the test gives
 * one, `context.memory` begins empty, `context.logger` is silent.
 */
export function testContext(message: string | Message, { onCheckpoint, ...turn }: TestTurn = {}): ExecutionContext {
  const asked: Message =
    typeof message === 'string' ? { messageId: 'message-1', role: 'ROLE_USER', parts: [text(message)] } : message;
  const { taskId = 'task-1', contextId = 'context-1' } = turn;
  const task: Task = turn.task ?? { id: taskId, contextId, status: { state: 'TASK_STATE_SUBMITTED' }, history: [asked] };
  return {
    tenant: '',
    principalId: 'someone',
    agentId: 'agent',
    extensions: [],
    turn: 1,
    attempt: 1,
    epoch: 1,
    signal: new AbortController().signal,
    logger: SILENT,
    memory: new TestMemory(),
    fetch: (url) => Promise.reject(new Error(`The test gave no fetch, and the agent asked for ${String(url)}`)),
    ...turn,
    taskId,
    contextId,
    message: asked,
    task,
    history: task.history ?? [],
    async checkpoint(value) {
      onCheckpoint?.(JSON.parse(JSON.stringify(value)) as JsonValue);
    },
  };
}

/** The events that an agent yields for a message, in order. Rejects with what it throws. */
export async function eventsOf(agent: HostedAgent, message: string | Message, turn: TestTurn = {}): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  const context = testContext(message, { agentId: agent.id, ...turn });
  for await (const event of agent.executor.execute(context)) events.push(event);
  return events;
}
