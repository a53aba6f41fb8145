import type { AgentEvent, ExecutionContext, HostedAgent } from '#core';
import {
  isName,
  parseAgentCardTemplate,
  parseExtendedCardTemplate,
  type AgentCardTemplate,
  type ExtendedCardTemplate,
} from '#protocol';

export interface AgentOptions {
  /** Part of the agent's URL: 1 to 64 of `A-Z a-z 0-9 . _ ~ -`, and not a reserved word. */
  readonly id: string;
  readonly card: AgentCardTemplate;
  /** What the card has besides for callers with the scope `card:extended`, where the host asks for credentials. */
  readonly extendedCard?: ExtendedCardTemplate;
  /** When the process that runs a turn disappears: `retry` (default) runs it again, `fail` ends the task. */
  readonly recovery?: 'retry' | 'fail';
  /** How often a turn is tried; 3 unless given. */
  readonly maxAttempts?: number;
  /** What the agent answers with: a task (default), a Message, or either. */
  readonly answers?: 'task' | 'message' | 'either';
  /** A new attempt goes on where the last one stood (see `context.task`): its first chunk of an artifact may append. */
  readonly resumes?: boolean;
  /** Turns that one worker process runs at a time; the worker's own setting unless given. */
  readonly concurrency?: number;
  /** Milliseconds that one turn may take; the worker's own setting unless given. */
  readonly turnTimeoutMs?: number;
  /** Milliseconds that may pass without an event; the worker's own setting unless given. */
  readonly silenceTimeoutMs?: number;
  /** The agent's code. Its end without a final status completes the task; what it throws fails it. */
  readonly execute: (context: ExecutionContext) => AsyncIterable<AgentEvent>;
}

/** Node's timers fire at once when they are given more, which would end every turn as it begins. */
const MOST_MS = 2_147_483_647;

/**
 * On every agent that was checked here: the loader of the agents' folder takes no others. Of the registry of symbols, since the
 * folder may have a copy of this module of its own.
 */
const DEFINED = Symbol.for('chorus.agent');

/** An option of an agent that cannot be. */
export class AgentOptionsError extends Error {
  override readonly name = 'AgentOptionsError';
}

/**
 * Defines an agent: the default export of a file in `agents/`.
 * Throws AgentOptionsError for bad options and InvalidAgentCardError for a bad card, so that a worker refuses to start with it.
 */
export function defineAgent(options: AgentOptions): HostedAgent {
  const { id, recovery = 'retry', maxAttempts = 3, answers = 'task', resumes = false, execute } = options;
  if (!isName(id))
    throw new AgentOptionsError(`"${id}" cannot be an agent's id: use up to 64 of A-Z a-z 0-9 . _ ~ - and no reserved word`);
  if (typeof execute !== 'function') throw new AgentOptionsError(`agent "${id}": execute is not a function`);
  oneOf(id, 'recovery', recovery, ['retry', 'fail']);
  oneOf(id, 'answers', answers, ['task', 'message', 'either']);
  for (const option of ['maxAttempts', 'concurrency'] as const) wholeFromOne(id, option, options[option]);
  for (const option of ['turnTimeoutMs', 'silenceTimeoutMs'] as const) wholeFromOne(id, option, options[option], MOST_MS);
  const { concurrency, turnTimeoutMs, silenceTimeoutMs } = options;
  const card = parseAgentCardTemplate(options.card);
  const agent: HostedAgent = {
    id,
    card,
    ...(options.extendedCard === undefined ? {} : { extendedCard: parseExtendedCardTemplate(options.extendedCard, card) }),
    policy: { recovery, maxAttempts },
    answers,
    resumes,
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(turnTimeoutMs === undefined ? {} : { turnTimeoutMs }),
    ...(silenceTimeoutMs === undefined ? {} : { silenceTimeoutMs }),
    executor: { execute },
  };
  // Not enumerable: a copy with other fields has not been checked.
  return Object.defineProperty(agent, DEFINED, { value: true });
}

function oneOf(id: string, option: string, value: string, allowed: readonly string[]): void {
  if (!allowed.includes(value))
    throw new AgentOptionsError(`agent "${id}": ${option} is ${value}, and may be ${allowed.join(', ')}`);
}

function wholeFromOne(id: string, option: string, value: number | undefined, most = Number.MAX_SAFE_INTEGER): void {
  if (value === undefined) return;
  if (!Number.isInteger(value) || value < 1) throw new AgentOptionsError(`agent "${id}": ${option} is not a whole number from 1`);
  if (value > most) throw new AgentOptionsError(`agent "${id}": ${option} is ${value}, and may be ${most} at most`);
}
