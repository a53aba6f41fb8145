import type { BindingName, Binding, Reply } from './bindings/binding.js';
import type { Scenes } from './scenes.js';
import type { Target } from './target.js';

/** As RFC 2119 has it; INFO is told and never counted. */
export type Requirement = 'MUST' | 'SHOULD' | 'MAY' | 'INFO';

/** What a check cannot do without; where it is missing, the check is skipped and says so. */
export type Need =
  | 'sideEffects'
  | 'streaming'
  | 'pushNotifications'
  | 'push'
  | 'credentials'
  | 'messageThatAsks'
  | 'messageThatWorks'
  | 'restartCommand';

export interface Check {
  /** Stable: `--only` and the reports name it. */
  readonly id: string;
  readonly title: string;
  readonly requirement: Requirement;
  /** Of the specification 1.0.1. */
  readonly section: string;
  /** What to do when it fails. */
  readonly mend: string;
  readonly needs?: readonly Need[];
  /** Runs once for each declared interface of these bindings; without it, once. */
  readonly bindings?: readonly BindingName[];
  /** Returns when it holds; throws through `fail`, `skip` or a fault of the wire. */
  run(context: CheckContext): Promise<void> | void;
}

export interface CheckContext {
  readonly target: Target;
  /** The interface under test; that of the first usable one for checks that run once. */
  readonly binding: Binding;
  readonly scenes: Scenes;
}

export class CheckFailed extends Error {
  constructor(
    message: string,
    /** What the agent sent. */
    readonly evidence?: string,
  ) {
    super(message);
  }
}

export class CheckSkipped extends Error {}

export function fail(reason: string, evidence?: string): never {
  throw new CheckFailed(reason, evidence);
}

export function skip(reason: string): never {
  throw new CheckSkipped(reason);
}

/** Fails the check unless `holds`. */
export function claim(holds: boolean, reason: string, evidence?: string): asserts holds {
  if (!holds) fail(reason, evidence);
}

/** The answer's value; fails the check when there is an error in its place. */
export function valueOf(reply: Reply, what: string): NonNullable<Reply['value']> {
  if (!reply.value) fail(`${what} is refused`, reply.error?.raw);
  return reply.value;
}

export const ALL: readonly BindingName[] = ['JSONRPC', 'HTTP+JSON', 'GRPC'];
export const WEB: readonly BindingName[] = ['JSONRPC', 'HTTP+JSON'];
