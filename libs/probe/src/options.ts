/** What a user tells the prober. */
export interface ProbeOptions {
  /** Where the agent is: its base, or its card. */
  readonly url: string;
  /** The text that is sent; the agent should finish soon after it. */
  readonly message: string;
  /** A text that the agent asks back on (INPUT_REQUIRED). */
  readonly messageThatAsks?: string;
  /** The answer to what the agent asked back. */
  readonly answer: string;
  /** A text that the agent works on for some seconds. */
  readonly messageThatWorks?: string;
  /** Sent as `Authorization: Bearer`. */
  readonly token?: string;
  /** Sent in the header that the card's API key scheme names, or `X-API-Key`. */
  readonly apiKey?: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Globs over ids of checks, also as `id@BINDING`; none means all. */
  readonly only: readonly string[];
  /** Of one exchange. */
  readonly timeoutMs: number;
  /** Tasks may be made and canceled. */
  readonly allowSideEffects: boolean;
  /** Push notifications are tried, with a receiver of the prober's own. */
  readonly push: boolean;
  /** Under which address the agent reaches the receiver; its own loopback address unless told. */
  readonly pushUrl?: string;
  /** Port of the receiver; any free one unless told. */
  readonly pushPort?: number;
  /** A shell command that restarts the agent. */
  readonly restartCommand?: string;
  /** Hosts beside the card's own that may be spoken to, with credentials. */
  readonly trustHosts: readonly string[];
  /** Where the keys of the card's signatures are; else the signature's `jku` on the card's own origin. */
  readonly jwksUrl?: string;
}

export const DEFAULT_OPTIONS: Omit<ProbeOptions, 'url'> = Object.freeze({
  message: 'hello',
  answer: 'yes',
  headers: {},
  only: [],
  timeoutMs: 10_000,
  allowSideEffects: false,
  push: false,
  trustHosts: [],
});
