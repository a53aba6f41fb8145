import { isTerminal } from '#protocol';
import type { Logger } from '../logger.js';
import { StoreUnavailableError } from '../ports/task-store.js';
import type { AgentMemoryStore } from '../ports/agent-memory-store.js';
import type { Claim, TurnStore } from '../ports/turn-store.js';
import type { ExecuteHint, HintOutcome, WorkQueue } from '../ports/work-queue.js';
import type { AgentFetch } from './agent-fetch.js';
import type { DatabaseClock } from './database-clock.js';
import type { EventPublisher } from './event-publisher.js';
import type { TurnEnd } from './event-recorder.js';
import { handBack, type HandBackReason } from './hand-back.js';
import type { HostedAgent } from './hosted-agent.js';
import { LeaseClaims } from './lease-claims.js';
import type { LeaseKeeper } from './lease-keeper.js';
import { Slots } from './slots.js';
import { TurnExecution, type TurnLimits } from './turn-execution.js';
import { within } from './within.js';

/** What this version of the code can claim; a row that needs more is left to newer workers. */
export const CONTRACT_VERSION = 1;

/** How long leases may take to be released when the process is about to end; those that are left are reaped. */
const HAND_BACK_MS = 3000;

export interface TaskRunnerParts {
  readonly store: TurnStore;
  readonly queue: Pick<WorkQueue, 'enqueue'>;
  readonly publisher: EventPublisher;
  readonly leases: Pick<LeaseKeeper, 'hold' | 'release'>;
  readonly clock: Pick<DatabaseClock, 'now'>;
  /** What the agents' contexts give them. */
  readonly memory: AgentMemoryStore;
  readonly fetch: AgentFetch;
  readonly logger: Logger;
}

export interface TaskRunnerOptions extends TurnLimits {
  readonly workerId: string;
  /** Turns of one agent at a time, unless the agent says otherwise. */
  readonly concurrency: number;
}

export interface DrainTimes {
  /** How long running turns may take to finish by themselves, in milliseconds. */
  readonly drainMs: number;
  /** How long their executors have after that to stop before the leases are released all the same, in milliseconds. */
  readonly stopMs: number;
}

interface Hosted {
  readonly agent: HostedAgent;
  readonly slots: Slots;
}

/** Runs the turns of the agents that this process hosts: claims, executes, ends. */
export class TaskRunner {
  readonly #hosted: ReadonlyMap<string, Hosted>;
  readonly #turns = new Set<TurnExecution>();
  readonly #running = new Set<Promise<HintOutcome>>();
  readonly #handBacks = new WeakMap<Claim, Promise<void>>();
  readonly #claims: LeaseClaims;
  #draining = false;
  #handsBack = false;

  constructor(
    agents: readonly HostedAgent[],
    private readonly parts: TaskRunnerParts,
    private readonly options: TaskRunnerOptions,
  ) {
    const isRunning = (taskId: string): boolean => [...this.#turns].some(({ fence }) => fence.taskId === taskId);
    this.#claims = new LeaseClaims({ store: parts.store, logger: parts.logger, isRunning });
    this.#hosted = new Map(agents.map((agent) => [agent.id, { agent, slots: new Slots(this.concurrencyOf(agent)) }]));
  }

  get agents(): readonly HostedAgent[] {
    return [...this.#hosted.values()].map(({ agent }) => agent);
  }

  /** Turns being claimed or executed now. */
  get running(): number {
    return this.#running.size;
  }

  concurrencyOf(agent: HostedAgent): number {
    return agent.concurrency ?? this.options.concurrency;
  }

  /** Slots that `tryRun` can still take; 0 for an agent that is not hosted here, and while draining. */
  freeSlots(agentId: string): number {
    return this.#hosted.get(agentId)?.slots.free ?? 0;
  }

  /**
   * Takes up a hint once a slot is free. Never rejects. `done`: the turn is over, or the claim was refused, which is normal.
   * `later`: the store cannot be reached, or this worker drains.
   */
  async run(hint: ExecuteHint): Promise<HintOutcome> {
    const hosted = this.#hosted.get(hint.agentId);
    if (!hosted) {
      this.parts.logger.warn('A hint for an agent that is not hosted here was dropped', {
        agentId: hint.agentId,
        taskId: hint.taskId,
      });
      return 'done';
    }
    const taken = hosted.slots.tryTake() || (await hosted.slots.take());
    return taken ? this.#start(hint, hosted) : 'later';
  }

  /** Starts on a hint in the background if there is a slot for it now; false otherwise. */
  tryRun(hint: ExecuteHint): boolean {
    const hosted = this.#hosted.get(hint.agentId);
    if (!hosted?.slots.tryTake()) return false;
    void this.#start(hint, hosted);
    return true;
  }

  /**
   * Takes up nothing more and gives running turns `drainMs` to finish; aborts the rest, records what they have yielded, and
   * hands them back. Resolves when every lease is released, whether or not the executors have stopped; at the latest after
   * `drainMs`, twice `stopMs` and 3 s, when the store or the queue does not answer.
   *
   * `beforeHandBack` runs before the first lease is released. It has to end this process's consumers: one that still waits
   * for hints would take those that go out now, and nobody would run them.
   */
  async drain({ drainMs, stopMs }: DrainTimes, beforeHandBack: () => Promise<void> = async () => {}): Promise<void> {
    this.#draining = true;
    this.#claims.close();
    for (const { slots } of this.#hosted.values()) slots.close();
    const finished = await within(this.#idle(), drainMs);
    if (!finished) await beforeHandBack();
    this.#handsBack = true;
    if (finished) return;
    for (const turn of this.#turns) turn.drain();
    if (await within(this.#idle(), stopMs)) return;
    const left = [...this.#turns];
    await within(Promise.all(left.map((turn) => turn.flush())), stopMs);
    for (const turn of left) turn.abandon();
    const kept = left.filter((turn) => this.#turns.has(turn));
    await within(Promise.all(kept.map(({ claim, agent }) => this.#handBack(claim, agent, 'drain'))), HAND_BACK_MS);
  }

  async #idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  #start(hint: ExecuteHint, { agent, slots }: Hosted): Promise<HintOutcome> {
    const work = this.#work(hint, agent).finally(() => {
      this.#running.delete(work);
      slots.give();
    });
    this.#running.add(work);
    return work;
  }

  async #work(first: ExecuteHint, agent: HostedAgent): Promise<HintOutcome> {
    let hint: ExecuteHint | undefined = first;
    while (hint) {
      try {
        const claim = await this.#claim(hint, agent);
        hint = claim && (await this.#execute(claim, agent));
      } catch (err) {
        const fields = { agentId: agent.id, taskId: first.taskId, err };
        if (err instanceof StoreUnavailableError) {
          this.parts.logger.debug('A claim got no answer from the store', fields);
          return 'later';
        }
        this.parts.logger.error('A hint could not be taken up', fields);
        return 'done';
      }
    }
    return 'done';
  }

  #claim({ taskId }: ExecuteHint, agent: HostedAgent): Promise<Claim | undefined> {
    const { workerId, leaseMs } = this.options;
    return this.#claims.claim({ taskId, workerId, leaseMs, policy: agent.policy, contract: CONTRACT_VERSION });
  }

  /** Resolves with the next hint of the same task when it has to be taken up here. */
  async #execute(claim: Claim, agent: HostedAgent): Promise<ExecuteHint | undefined> {
    if (this.#handsBack) {
      await this.#handBack(claim, agent, 'drain');
      return undefined;
    }
    const end = await this.#runTurn(new TurnExecution(claim, agent, this.parts, this.options));
    return end && this.#hintNext(claim, end);
  }

  async #runTurn(turn: TurnExecution): Promise<TurnEnd | undefined> {
    const { leases } = this.parts;
    this.#turns.add(turn);
    leases.hold(turn);
    try {
      const { end, handBack } = await turn.run();
      if (handBack) await this.#handBack(turn.claim, turn.agent, handBack);
      return end;
    } finally {
      // A lease that nobody renews is reaped: better than one that is renewed and that nobody works under.
      leases.release(turn);
      this.#turns.delete(turn);
    }
  }

  async #hintNext(claim: Claim, end: TurnEnd): Promise<ExecuteHint | undefined> {
    if (end.pending === 0 || isTerminal(end.finalState)) return undefined;
    const { agentId, fence, turn, tenant } = claim;
    const next: ExecuteHint = { agentId, taskId: fence.taskId, turn: turn + 1, epoch: end.epoch };
    try {
      await this.parts.queue.enqueue([next]);
      return undefined;
    } catch (err) {
      this.parts.logger.debug('The next turn could not be queued; it is taken up here', {
        tenant,
        agentId,
        taskId: fence.taskId,
        err,
      });
      return this.#draining ? undefined : next;
    }
  }

  /** Once per claim; whoever asks again waits for the one that is under way. */
  #handBack(claim: Claim, agent: HostedAgent, reason: HandBackReason): Promise<void> {
    const known = this.#handBacks.get(claim);
    if (known) return known;
    const handingBack = handBack(claim, agent.policy, reason, this.parts);
    this.#handBacks.set(claim, handingBack);
    return handingBack;
  }
}
