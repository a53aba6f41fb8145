import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { isInterrupted, isTerminal, foldArtifacts } from '../task-shape.js';
import { at, listOf, type Json, type JsonObject } from '../wire/json.js';
import type { Faulty } from './faults.spec-support.js';

const STEP_MS = 15;
const WORK_STEPS = 20;

export interface FakeEvent {
  readonly sequence: number;
  readonly value: JsonObject;
}

/** One task: its events, and who listens. */
export class FakeTask {
  readonly events: FakeEvent[] = [];
  readonly changed = new EventEmitter().setMaxListeners(100);
  stopped = false;
  #running: Promise<void> = Promise.resolve();

  constructor(
    readonly task: JsonObject,
    private readonly faulty: Faulty,
  ) {}

  /** Runs a turn; `text` says which. */
  run(text: string): Promise<void> {
    this.#running = this.#turn(text);
    return this.#running;
  }

  /** Resolves at the end of the turn. */
  ended(): Promise<void> {
    return this.#running;
  }

  record(value: JsonObject): void {
    if (isTerminal(this.task)) return;
    this.events.push({ sequence: this.events.length + 1, value });
    const status = at(value, 'statusUpdate', 'status');
    if (status !== undefined) this.task['status'] = status;
    if ('artifactUpdate' in value) this.task['artifacts'] = foldArtifacts([{ task: this.task }, value]);
    this.changed.emit('event');
  }

  status(state: string, text?: string): void {
    const { id: taskId, contextId } = this.task;
    this.record({ statusUpdate: { taskId, contextId, status: statusOf(state, this.faulty, text) } });
  }

  async #turn(text: string): Promise<void> {
    if (text === 'ask') return this.status('INPUT_REQUIRED', this.faulty('multi-turn.asks') ? undefined : 'which one?');
    this.status('WORKING');
    const steps = text === 'work' ? WORK_STEPS : 1;
    for (let n = 0; n < steps; n += 1) {
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
      if (text === 'work') this.status('WORKING', `step ${n}`);
    }
    if (this.stopped) return this.status('CANCELED');
    this.#artifact('one ', this.faulty('stream.appends'));
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    if (this.stopped) return this.status('CANCELED');
    this.#artifact('two', true);
    this.status('COMPLETED');
  }

  #artifact(text: string, append: boolean): void {
    const { id: taskId, contextId } = this.task;
    const extensions = this.faulty('extensions.declared') ? { extensions: ['https://example.com/undeclared'] } : {};
    const artifact = { artifactId: 'answer', parts: [{ text }], ...extensions };
    this.record({ artifactUpdate: { taskId, contextId, artifact, ...(append && { append }) } });
  }
}

export function newTask(message: JsonObject, contextId: string, faulty: Faulty): FakeTask {
  const id = randomUUID();
  const history = [{ ...message, taskId: id, contextId }];
  return new FakeTask({ id, contextId, status: statusOf('SUBMITTED', faulty), history }, faulty);
}

function statusOf(state: string, faulty: Faulty, text?: string): JsonObject {
  return {
    state: `TASK_STATE_${state}`,
    ...(text !== undefined && { message: { messageId: randomUUID(), role: 'ROLE_AGENT', parts: [{ text }] } }),
    ...(!faulty('task.timestamp') && { timestamp: new Date().toISOString() }),
  };
}

/** As a reader wants it. */
export function shown(task: JsonObject, historyLength: Json | undefined, faults: { one: boolean; none: boolean }): JsonObject {
  const copy = structuredClone(task);
  if (historyLength === undefined || historyLength === null) return copy;
  const length = Number(historyLength);
  if (length === 0 && !faults.none) delete copy['history'];
  if (length > 0 && !faults.one) copy['history'] = listOf(copy['history']).slice(-length);
  if (length === 1 && faults.one) copy['history'] = [...listOf(copy['history']), ...listOf(copy['history'])];
  return copy;
}

export const isOver = ({ task }: FakeTask): boolean => isTerminal(task) || isInterrupted(task);
