import type { CallContext } from '../call-context.js';

/** What a receiver is shown to prove who sends: kept together, since credentials are those of a scheme. */
export interface PushProtection {
  /** `authentication.scheme`. */
  readonly scheme?: string;
  /** `token` and `authentication.credentials`, sealed. */
  readonly secrets?: Uint8Array;
}

/** What there is of a configuration that is to be changed. */
export interface KeptPush extends PushProtection {
  readonly receiver: string;
}

/** A push configuration as a client is shown it. */
export interface PushConfig {
  readonly taskId: string;
  readonly id: string;
  readonly url: string;
  readonly scheme?: string;
}

/** A push configuration that is to be kept, in the place of one with the same id when there is one. */
export interface PushConfigDraft {
  readonly id: string;
  readonly url: string;
  /** The URL's origin. */
  readonly receiver: string;
  readonly everyEvent: boolean;
  /** In which version the receiver is told. */
  readonly protocolVersion: '1.0' | '0.3';
  /**
   * What is kept of scheme and secrets; `kept` is what there is, undefined for a new configuration. Called once, while the task is
   * locked: it may not wait for anything. What it throws is thrown, and nothing is stored.
   */
  readonly protect: (kept: KeptPush | undefined) => PushProtection;
  /** Most configurations of a task. */
  readonly most: number;
}

/** `stored`: `owed` says whether something can be delivered at once. */
export type PutResult =
  { readonly outcome: 'stored'; readonly owed: boolean } | { readonly outcome: 'not-found' } | { readonly outcome: 'too-many' };

export interface PushConfigPage {
  readonly configs: readonly PushConfig[];
  /** There are later ones. */
  readonly more: boolean;
}

/**
 * Push configurations, as clients may see and change them. What `ctx` may not see is as if it were not there, and neither a task that
 * no client was shown has any. Every method rejects with StoreUnavailableError when the database cannot be reached.
 */
export abstract class PushConfigStore {
  /**
   * Keeps a configuration. A new one is owed what comes after it, of a task that has ended its end. One that is there stays where it
   * has come to, whoever delivers to it is fenced off, and it is due at once, given up before or not.
   */
  abstract put(ctx: CallContext, taskId: string, draft: PushConfigDraft): Promise<PutResult>;

  abstract get(ctx: CallContext, taskId: string, id: string): Promise<PushConfig | undefined>;

  /** In the order of their ids, those after `after`; undefined when there is no such task. */
  abstract list(
    ctx: CallContext,
    taskId: string,
    page: { readonly after?: string; readonly limit: number },
  ): Promise<PushConfigPage | undefined>;

  /** The configuration is not there afterwards, whether it was or not. False when there is no such task. */
  abstract delete(ctx: CallContext, taskId: string, id: string): Promise<boolean>;
}
