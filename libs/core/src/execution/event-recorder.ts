import type { JsonValue, Message, Struct, TaskState, WireText } from '#protocol';
import { isInterrupted, isTerminal } from '#protocol';
import { randomUUID } from 'node:crypto';
import type { Logger } from '../logger.js';
import { StoreUnavailableError } from '../ports/task-store.js';
import type { Append, AppendResult, Claim, NewEvent, TurnStore } from '../ports/turn-store.js';
import type { TaskEvent } from '../task/task-event.js';
import type { AgentEvent } from './agent-executor.js';
import { jsonOf } from './agent-memory.js';
import { type AgentOutput, InvalidAgentOutputError, readAgentOutput } from './agent-output.js';
import type { DatabaseClock } from './database-clock.js';
import type { EventPublisher } from './event-publisher.js';
import { hostMessage, statusEvent, statusFrame, statusRest } from './status-event.js';
import { ThrottledWarning } from './throttled-warning.js';
import { TurnSnapshot } from './turn-snapshot.js';

/** Of a checkpoint's JSON. */
const MAX_CHECKPOINT_CHARACTERS = 65_536;
const MAX_WAITING_EVENTS = 256;
const MAX_WAITING_CHARACTERS = 1024 * 1024;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1000;

export interface EventRecorderParts {
  readonly store: Pick<TurnStore, 'append'>;
  readonly publisher: EventPublisher;
  readonly clock: Pick<DatabaseClock, 'now'>;
  readonly logger: Logger;
}

/** A checkpoint that waits for the store, and whoever waits for it. */
interface Checkpoint {
  readonly json: string;
  readonly settled: readonly ((recorded: boolean) => void)[];
}

type Recorded = Exclude<AppendResult, { outcome: 'fenced' }>;

/** How the turn ended, as the store recorded it. */
export interface TurnEnd {
  readonly finalState: TaskState;
  /** Messages that wait for their turn. */
  readonly pending: number;
  readonly epoch: number;
}

export interface RecorderListener {
  /** A cancel was requested while the lease is ours. */
  onCancelRequested(metadata: Struct | undefined): void;
  /** Nothing more of what the agent yields will be recorded. */
  onHalted(why: RecorderHalt): void;
}

/**
 * - `fenced`: the lease is another's, or the task has ended.
 * - `refused`: the store does not take the agent's output for what it is. The recorder records FAILED in its place; when that is
 *   refused as well, it ends without an end of the turn.
 * - `abandoned`: by `abandon`, before the store had answered.
 */
export type RecorderHalt = 'fenced' | 'refused' | 'abandoned';

/**
 * The one writer of a turn's events: it stores, then publishes. One append is in flight; what is recorded meanwhile goes
 * with the next. Appends are numbered, so that one whose answer was lost is repeated and recorded once.
 */
export class EventRecorder {
  #queue: NewEvent[] = [];
  #queuedCharacters = 0;
  #metadata: string | undefined;
  #checkpoint: Checkpoint | undefined;
  /** The turn has a checkpoint, which its end has to forget. */
  #hasCheckpoint: boolean;
  /** The task has metadata, or may soon have. */
  #hasMetadata: boolean;
  #number: number;
  #state: TaskState;
  /** The row is not a task for clients yet: an append has to list it. */
  #unlisted: boolean;
  /** A Task event was taken or is recorded: a Message can no longer be the whole answer. */
  #isTask: boolean;
  #ending = false;
  #halted = false;
  #abandoned = false;
  /** FAILED is recorded in place of what the store refused. */
  #failing = false;
  #end: TurnEnd | undefined;
  #pumping: Promise<void> | undefined;
  #room: (() => void) | undefined;
  #stopWaiting: (() => void) | undefined;
  readonly #artifacts = new Set<string>();
  readonly #snapshot: TurnSnapshot;
  readonly #unanswered: ThrottledWarning;

  constructor(
    private readonly claim: Claim,
    private readonly parts: EventRecorderParts,
    private readonly options: { readonly leaseMs: number; readonly resumes: boolean },
    private readonly listener: RecorderListener,
  ) {
    this.#number = claim.appendNo;
    this.#state = claim.task.state;
    this.#unlisted = !claim.task.listed;
    this.#isTask = claim.task.listed;
    this.#hasCheckpoint = claim.checkpoint !== undefined;
    this.#hasMetadata = claim.task.metadata !== undefined;
    this.#snapshot = new TurnSnapshot(claim.task);
    this.#unanswered = new ThrottledWarning(parts.logger, 'The events of a turn wait for the store');
  }

  /** True once an event that ends the turn was taken; later ones are ignored. */
  get ending(): boolean {
    return this.#ending;
  }

  /** Takes an event of the agent; true when it ends the turn. Throws InvalidAgentOutputError. */
  record(event: AgentEvent): boolean {
    const output = readAgentOutput(event, this.#identity);
    if (this.#ending || this.#halted) return this.#ending;
    try {
      this.#take(output);
    } catch (cause) {
      throw new InvalidAgentOutputError('the event is not JSON', { cause });
    }
    return this.#ending;
  }

  /**
   * Records a value for the next attempt of the turn, in one append with the events taken before it. Resolves with true once it is
   * recorded, or the turn has ended and nothing is needed any more; with false when it will not be. Rejects with AgentLimitError.
   */
  async checkpoint(value: JsonValue): Promise<boolean> {
    const json = jsonOf(value, MAX_CHECKPOINT_CHARACTERS, 'The checkpoint');
    if (this.#ending || this.#halted) return this.#ending;
    return new Promise<boolean>((resolve) => {
      this.#checkpoint = { json, settled: [...(this.#checkpoint?.settled ?? []), resolve] };
      this.#hasCheckpoint = true;
      this.#pumping ??= this.#pump();
    });
  }

  /** Ends the turn in the host's name, unless it is ending already. `text` becomes the status message. */
  end(state: TaskState, text?: string): void {
    if (this.#ending || this.#halted) return;
    this.#takeStatus(state, text === undefined ? undefined : hostMessage(this.#identity, text));
  }

  /** Resolves when there is room for more: at most 256 events or 1 MiB wait for the store. */
  async room(): Promise<void> {
    if (this.#isFull()) await new Promise<void>((resolve) => (this.#room = resolve));
  }

  /** Whoever waits for room goes on: the turn was aborted. */
  freeRoom(): void {
    this.#room?.();
    this.#room = undefined;
  }

  /** Resolves when nothing waits for the store any more; with the end of the turn once that is recorded. */
  async settled(): Promise<TurnEnd | undefined> {
    while (this.#pumping) await this.#pumping;
    return this.#end;
  }

  /** Drops what waits and takes nothing more. An append in flight still gets its answer: the store decides, not we. */
  halt(): void {
    this.#halted = true;
    this.#queue = [];
    this.#queuedCharacters = 0;
    settle(this.#checkpoint, false);
    this.#checkpoint = undefined;
    this.freeRoom();
  }

  /** `halt`, and repeats nothing either: the process is about to end. */
  abandon(): void {
    this.halt();
    this.#abandoned = true;
    this.#stopWaiting?.();
  }

  get #identity(): { taskId: string; contextId: string } {
    return this.claim.task;
  }

  #take(output: AgentOutput): void {
    switch (output.kind) {
      case 'metadata':
        this.#metadata = JSON.stringify(output.metadata);
        this.#hasMetadata = true;
        return;
      case 'answer':
        if (this.#isTask) this.#takeStatus('TASK_STATE_COMPLETED', { ...output.message, taskId: this.#identity.taskId });
        else this.#takeAnswer(output.message);
        return;
      case 'status':
        // SUBMITTED is the host's to say; an agent that repeats it has made no progress, or speaks while it works.
        if (output.state !== 'TASK_STATE_SUBMITTED') this.#takeStatus(output.state, output.message, output.metadata);
        else if (output.message) this.#takeStatus('TASK_STATE_WORKING', output.message, output.metadata);
        return;
      case 'artifact':
        this.#takeArtifact(output);
    }
  }

  #takeStatus(state: TaskState, message?: Message, metadata?: Struct): void {
    this.#push(statusEvent(this.#identity, state, this.parts.clock.now(), { message, metadata }));
    this.#state = state;
    this.#isTask = true;
    this.#ending = isTerminal(state) || isInterrupted(state);
  }

  #takeAnswer(message: Message): void {
    const at = this.parts.clock.now();
    this.#push({
      kind: 'answer',
      payload: JSON.stringify({ message }),
      statusRest: statusRest(at, message),
      statusTimestamp: at,
    });
    this.#state = 'TASK_STATE_COMPLETED';
    this.#ending = true;
  }

  #takeArtifact({ artifact, append, lastChunk, metadata }: Extract<AgentOutput, { kind: 'artifact' }>): void {
    const { taskId, contextId } = this.#identity;
    // What an attempt before this one left under the id is replaced, not continued.
    const continues = append && (this.options.resumes || this.#artifacts.has(artifact.artifactId));
    const payload = JSON.stringify({
      artifactUpdate: {
        taskId,
        contextId,
        artifact,
        ...(continues ? { append } : {}),
        ...(lastChunk ? { lastChunk } : {}),
        ...(metadata ? { metadata } : {}),
      },
    });
    if (this.#state !== 'TASK_STATE_WORKING') this.#takeStatus('TASK_STATE_WORKING');
    this.#artifacts.add(artifact.artifactId);
    this.#push({ kind: 'artifact', payload });
  }

  #push(event: NewEvent): void {
    this.#queue.push(event);
    this.#queuedCharacters += sizeOf(event);
    this.#pumping ??= this.#pump();
  }

  /** Never rejects: whoever waits for room or for the end would wait for ever, under a lease that is renewed. */
  async #pump(): Promise<void> {
    // What the executor yields in one go, without waiting for anything, belongs in one append.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      while (this.#queue.length > 0 || this.#checkpoint) await this.#appendNext();
    } catch (err) {
      this.parts.logger.error('The events of a turn could not be recorded', { taskId: this.claim.fence.taskId, err });
      this.#stop('refused');
    } finally {
      this.#pumping = undefined;
    }
  }

  async #appendNext(): Promise<void> {
    const events = this.#queue;
    const checkpoint = this.#checkpoint;
    this.#queue = [];
    this.#queuedCharacters = 0;
    this.#checkpoint = undefined;
    this.freeRoom();
    let recorded: { append: Append; result: AppendResult } | undefined;
    try {
      recorded = await this.#persist(this.#appendOf(events, checkpoint?.json));
    } catch (err) {
      this.#failInstead(err);
      return settle(checkpoint, false);
    }
    if (!recorded) this.#stop('abandoned');
    else if (recorded.result.outcome === 'fenced') this.#stop('fenced');
    else this.#recorded(recorded.append, recorded.result);
    settle(checkpoint, recorded !== undefined && recorded.result.outcome !== 'fenced');
  }

  #stop(why: RecorderHalt): void {
    this.halt();
    this.listener.onHalted(why);
  }

  #appendOf(events: NewEvent[], checkpoint: string | undefined): Append {
    const endsTurn = this.#ending;
    const texts = events.map((event, index) => ({
      kind: event.kind,
      endsTurn: endsTurn && index === events.length - 1,
      payload: event.kind === 'status' ? statusFrame(event, event.state) : event.payload,
    }));
    const snapshot = this.#snapshot.offer(texts, endsTurn);
    const metadata = this.#metadata;
    this.#metadata = undefined;
    return {
      fence: this.claim.fence,
      number: this.#number + 1,
      turn: this.claim.turn,
      attempt: this.claim.attempt,
      leaseMs: this.options.leaseMs,
      events,
      endsTurn,
      ...(snapshot ? { snapshot } : {}),
      ...(metadata === undefined ? {} : { metadata }),
      ...(checkpoint !== undefined ? { checkpoint } : endsTurn && this.#hasCheckpoint ? { checkpoint: null } : {}),
      list: this.#unlisted && events.some(({ kind }) => kind !== 'answer'),
    };
  }

  /** Until the store has answered. Undefined when it was abandoned before. */
  async #persist(append: Append): Promise<{ append: Append; result: AppendResult } | undefined> {
    for (let delay = FIRST_RETRY_MS; !this.#abandoned; delay = Math.min(delay * 2, LAST_RETRY_MS)) {
      try {
        return { append, result: await this.parts.store.append(append) };
      } catch (err) {
        if (!(err instanceof StoreUnavailableError)) throw err;
        if (delay === LAST_RETRY_MS) this.#unanswered.warn({ taskId: append.fence.taskId, number: append.number, err });
        await this.#wait(delay * (0.75 + Math.random() / 2));
      }
    }
    return undefined;
  }

  #recorded(append: Append, result: Recorded): void {
    this.#number = append.number;
    if (append.list) this.#unlisted = false;
    this.#snapshot.recorded(result.first, append.events.length);
    if (append.events.length > 0)
      this.parts.publisher.publish(this.claim.origin, this.claim.fence.taskId, this.#committed(append, result));
    if (append.endsTurn) {
      this.#end = { finalState: result.finalState, pending: result.pending, epoch: result.epoch };
    } else if (result.cancelRequested) {
      this.listener.onCancelRequested(result.cancelMetadata);
    }
  }

  #committed(append: Append, { first, finalState, pushes }: Pick<Recorded, 'first' | 'finalState' | 'pushes'>): TaskEvent[] {
    const last = append.events.length - 1;
    const withoutMetadata = append.endsTurn && !this.#hasMetadata;
    return append.events.map((event, index) => {
      const asked =
        event.kind === 'status' ? event.state : event.kind === 'answer' ? 'TASK_STATE_COMPLETED' : 'TASK_STATE_WORKING';
      const state = index === last ? finalState : asked;
      return {
        taskId: append.fence.taskId,
        sequence: first + index,
        kind: event.kind,
        state,
        turn: append.turn,
        endsTurn: append.endsTurn && index === last,
        payload: event.kind === 'status' ? statusFrame(event, state) : (event.payload as WireText<never>),
        ...(withoutMetadata && index === last ? { withoutMetadata } : {}),
        ...(pushes && index === last ? { pushes } : {}),
      };
    });
  }

  /** The store refuses these events for what they are: the task fails, rather than running into them again. */
  #failInstead(err: unknown): void {
    const errorId = randomUUID();
    this.parts.logger.error('The store refused events of a turn', { taskId: this.claim.fence.taskId, errorId, err });
    if (this.#halted || this.#failing) return this.#stop('refused');
    this.#failing = true;
    this.#queue = [];
    this.#queuedCharacters = 0;
    this.#metadata = undefined;
    this.#snapshot.giveUp();
    this.#ending = false;
    this.end('TASK_STATE_FAILED', `The agent's output could not be recorded (error ${errorId})`);
    this.listener.onHalted('refused');
  }

  #isFull(): boolean {
    return !this.#halted && (this.#queue.length >= MAX_WAITING_EVENTS || this.#queuedCharacters >= MAX_WAITING_CHARACTERS);
  }

  async #wait(milliseconds: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.#stopWaiting = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

const settle = (checkpoint: Checkpoint | undefined, recorded: boolean): void =>
  checkpoint?.settled.forEach((settled) => settled(recorded));

const sizeOf = (event: NewEvent): number =>
  event.kind === 'status' ? event.head.length + event.statusRest.length + event.tail.length : event.payload.length;
