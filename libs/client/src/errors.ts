import type { ErrorName } from '#protocol';

/** What a call of another agent ends in when it does not answer as A2A has it. `agentUrl` says which agent was called. */
export abstract class PeerError extends Error {
  constructor(
    readonly agentUrl: string,
    message: string,
    cause?: unknown,
  ) {
    super(`${agentUrl}: ${message}`, cause === undefined ? {} : { cause });
  }
}

/** The agent answered with an error of A2A or of JSON-RPC. Asking again gets the same answer. */
export class PeerAnsweredError extends PeerError {
  override readonly name = 'PeerAnsweredError';

  constructor(
    agentUrl: string,
    /** The specification's name of the error, where it has one. */
    readonly error: ErrorName | undefined,
    /** The JSON-RPC code, or the HTTP status of HTTP+JSON. */
    readonly code: number,
    /** The agent's own words. */
    readonly words: string,
    readonly details: readonly unknown[] = [],
  ) {
    super(agentUrl, `${error ?? `error ${code}`}: ${words}`);
  }
}

/** 401 or 403: the agent does not take the credential that was sent, or wants one. */
export class PeerCredentialError extends PeerError {
  override readonly name = 'PeerCredentialError';

  constructor(
    agentUrl: string,
    readonly status: 401 | 403,
  ) {
    super(agentUrl, status === 401 ? 'the agent wants a credential (401)' : 'the credential does not permit this (403)');
  }
}

/** There was no answer, or one that says to come again: connection, time-out, 408, 429 and 5xx. */
export class PeerUnavailableError extends PeerError {
  override readonly name = 'PeerUnavailableError';

  constructor(
    agentUrl: string,
    message: string,
    /** `no`: the agent has certainly not seen the request. `unknown`: it may have acted on it. */
    readonly submitted: 'no' | 'unknown',
    /** What the agent asks for with `Retry-After`, in milliseconds. */
    readonly retryAfterMs?: number,
    cause?: unknown,
  ) {
    super(agentUrl, message, cause);
  }
}

/** A definitive no: nothing is served here that knows this operation (404, 405, or JSON-RPC's -32601). */
export class PeerNotServedError extends PeerError {
  override readonly name = 'PeerNotServedError';
}

/** What came is not A2A. */
export class PeerInvalidAnswerError extends PeerError {
  override readonly name = 'PeerInvalidAnswerError';
}

/** The agent is not called: its card is not signed as the policy wants, or every interface in it is at an origin that is not allowed. */
export class PeerRefusedError extends PeerError {
  override readonly name = 'PeerRefusedError';
}
