import type { Struct } from '#protocol';
import { randomUUID } from 'node:crypto';
import type { Logger } from '../logger.js';
import type { Claim } from '../ports/turn-store.js';
import { type AbortCause, AbortedTurn, type AgentEvent, type ExecutionContext } from './agent-executor.js';
import { InvalidAgentOutputError } from './agent-output.js';
import { EventRecorder, type EventRecorderParts, type TurnEnd } from './event-recorder.js';
import { executionContext, type AgentServices } from './execution-context.js';
import type { HandBackReason } from './hand-back.js';
import type { HostedAgent } from './hosted-agent.js';
import type { LeaseHolder, LeaseLoss } from './lease-keeper.js';
import { within } from './within.js';

export interface TurnLimits {
  readonly leaseMs: number;
  readonly turnTimeoutMs: number;
  readonly silenceTimeoutMs: number;
  /** How long an aborted executor has to stop, in milliseconds. */
  readonly cancelGraceMs: number;
}

/** How a turn left this worker: with its end, or with a lease that is to be handed back, or (neither) with one that is another's. */
export interface TurnOutcome {
  readonly end?: TurnEnd;
  readonly handBack?: HandBackReason;
}

type Step = IteratorResult<AgentEvent> | 'aborted';

/** One executor at work on one message, under one lease. */
export class TurnExecution implements LeaseHolder {
  readonly #controller = new AbortController();
  readonly #recorder: EventRecorder;
  readonly #logger: Logger;
  #iterator: AsyncIterator<AgentEvent> | undefined;
  #pulling: Promise<unknown> | undefined;
  #interrupt: (() => void) | undefined;
  /** Why the turn may end without an end of its own. */
  #loss: LeaseLoss | 'refused' | undefined;

  constructor(
    readonly claim: Claim,
    readonly agent: HostedAgent,
    private readonly parts: EventRecorderParts & AgentServices,
    private readonly limits: TurnLimits,
  ) {
    this.#logger = parts.logger;
    this.#recorder = new EventRecorder(
      claim,
      parts,
      { leaseMs: limits.leaseMs, resumes: agent.resumes },
      {
        onCancelRequested: (metadata) => this.onCancelRequested(metadata),
        onHalted: (why) => {
          if (why !== 'abandoned') this.#loss ??= why;
          this.#abort('lease-lost');
        },
      },
    );
  }

  get fence(): Claim['fence'] {
    return this.claim.fence;
  }

  /** Why the executor was told to stop, if it was. */
  get aborted(): AbortCause | undefined {
    return (this.#controller.signal.reason as AbortedTurn | undefined)?.cause;
  }

  /** Runs the turn; never rejects. Resolves once nothing more of it will be recorded. */
  async run(): Promise<TurnOutcome> {
    const timer = setTimeout(() => this.#abort('timeout'), this.agent.turnTimeoutMs ?? this.limits.turnTimeoutMs);
    try {
      await this.#consume();
    } catch (err) {
      this.#fail(err);
    } finally {
      clearTimeout(timer);
    }
    const stopped = this.#stopExecutor();
    // An end that the agent gave is recorded at once; one that the host gives waits until the executor has stopped.
    if (!this.#recorder.ending) await stopped;
    this.#conclude();
    const [end] = await Promise.all([this.#recorder.settled(), stopped]);
    if (end) return { end };
    if (this.#loss) return this.#loss === 'fenced' ? {} : { handBack: this.#loss };
    return this.aborted === 'drain' ? { handBack: 'drain' } : {};
  }

  onCancelRequested(metadata: Struct | undefined): void {
    this.#abort('canceled', metadata);
  }

  onLeaseLost(why: LeaseLoss): void {
    this.#loss ??= why;
    this.#recorder.halt();
    this.#abort('lease-lost');
  }

  /** Everything yielded so far is recorded. */
  async flush(): Promise<void> {
    await this.#recorder.settled();
  }

  /** The worker leaves: what the executor yields from now on is not recorded. */
  drain(): void {
    this.#abort('drain');
  }

  /** The lease was handed back, or the process ends: no more attempts to record anything. */
  abandon(): void {
    this.#recorder.abandon();
  }

  async #consume(): Promise<void> {
    this.#iterator = this.agent.executor.execute(this.#context())[Symbol.asyncIterator]();
    for (;;) {
      const step = await this.#pull(this.#iterator);
      if (step === 'aborted') return;
      if (step.done) {
        this.#iterator = undefined;
        return this.#recorder.end('TASK_STATE_COMPLETED');
      }
      if (this.#recorder.record(step.value)) return;
      await this.#recorder.room();
    }
  }

  /** The next event, unless an abort comes first. A race with one lasting promise would keep a closure per event. */
  #pull(iterator: AsyncIterator<AgentEvent>): Promise<Step> {
    if (this.aborted) return Promise.resolve('aborted');
    const silence = setTimeout(() => this.#abort('silence'), this.agent.silenceTimeoutMs ?? this.limits.silenceTimeoutMs);
    return new Promise<Step>((resolve, reject) => {
      this.#interrupt = () => resolve('aborted');
      const pulling = Promise.resolve(iterator.next());
      this.#pulling = pulling;
      pulling.then(resolve, reject);
    }).finally(() => clearTimeout(silence));
  }

  #abort(cause: AbortCause, metadata?: Struct): void {
    if (this.aborted || (this.#recorder.ending && cause !== 'lease-lost')) return;
    this.#controller.abort(new AbortedTurn(cause, metadata));
    this.#interrupt?.();
    this.#recorder.freeRoom();
  }

  #fail(err: unknown): void {
    if (this.aborted) {
      this.#logger.debug('The executor threw after its abort', { ...this.#fields, cause: this.aborted, err });
      return;
    }
    const errorId = randomUUID();
    const invalid = err instanceof InvalidAgentOutputError;
    const what = invalid ? 'The agent gave an invalid event' : 'The agent failed';
    this.#logger.error(what, { ...this.#fields, errorId, err });
    this.#recorder.end('TASK_STATE_FAILED', `${what} (error ${errorId})`);
  }

  /** Lets the executor clean up; one that does not stop within the grace no longer holds its slot. */
  async #stopExecutor(): Promise<void> {
    const iterator = this.#iterator;
    if (!iterator) return;
    const ended = Promise.allSettled([this.#pulling, Promise.resolve().then(() => iterator.return?.())]);
    if (!(await within(ended, this.limits.cancelGraceMs))) {
      this.#logger.warn('The executor did not stop in time; it is left to itself', { ...this.#fields, cause: this.aborted });
    }
  }

  /** A halted recorder takes no end: after a lost lease nothing is recorded, whatever came first. */
  #conclude(): void {
    switch (this.aborted) {
      case 'canceled':
        return this.#recorder.end('TASK_STATE_CANCELED');
      case 'timeout':
        return this.#recorder.end('TASK_STATE_FAILED', 'The agent took longer than a turn may take');
      case 'silence':
        return this.#recorder.end('TASK_STATE_FAILED', 'The agent gave no sign of life for too long');
      default:
    }
  }

  #context(): ExecutionContext {
    return executionContext(this.claim, this.parts, {
      signal: this.#controller.signal,
      onFenced: () => this.onLeaseLost('fenced'),
      checkpoint: async (value) => {
        this.#controller.signal.throwIfAborted();
        if (!(await this.#recorder.checkpoint(value))) throw this.#controller.signal.reason ?? new AbortedTurn('lease-lost');
      },
    });
  }

  get #fields(): { tenant: string; agentId: string; taskId: string; turn: number; attempt: number } {
    const { tenant, agentId, fence, turn, attempt } = this.claim;
    return { tenant, agentId, taskId: fence.taskId, turn, attempt };
  }
}
