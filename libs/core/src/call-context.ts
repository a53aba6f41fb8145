/** Who asks, of whom, and how. Every store method takes it first: whose data it is comes before which. */
export interface CallContext {
  /** `""` is the tenant of calls that name none. */
  readonly tenant: string;
  readonly principal: Principal;
  readonly agentId: string;
  /** URIs of the extensions that the client activated with `A2A-Extensions`. */
  readonly extensions: readonly string[];
  /** The version that the client speaks, when it is not 1.0. */
  readonly protocolVersion?: '0.3';
  /** Key of `Idempotency-Key`, when the client sent one. */
  readonly idempotencyKey?: string;
  /** Told of the task that a message was accepted for, before anything waits for it. */
  readonly onAccepted?: (task: { readonly taskId: string; readonly contextId: string }) => void;
}

export interface Principal {
  /** Stable over a principal's credentials; `anonymous` while the host runs without authentication. */
  readonly id: string;
}

export const ANONYMOUS: Principal = Object.freeze({ id: 'anonymous' });
