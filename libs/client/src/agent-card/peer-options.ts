import type { KeySet } from '#signing';

/** How an agent is to be called. Undefined leaves the default. */
export interface PeerOptions {
  /**
   * `auto` (default): 1.0 where the agent offers it, 0.3 otherwise. Only a definitive no (404, 405, unknown method) of one interface
   * moves on to the next: nothing else proves that the request was not acted on.
   */
  readonly protocol?: 'auto' | '1.0' | '0.3';
  /** Sent with every request, the one for the card too: credentials. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Origins (`https://a.example`) beside that of the agent's URL at which its card may say that it is to be called. Default: none. */
  readonly interfaceOrigins?: readonly string[];
  /** `required`: an agent whose card has no valid signature is not called. Default: signatures are not looked at. */
  readonly cardSignature?: 'ignored' | 'required';
  /** Keys that are trusted whatever the card says. Without any, a key set at the card's own origin is. */
  readonly trustedKeys?: KeySet;
  /** URLs of key sets at other origins that a signature may name. */
  readonly trustedKeySets?: readonly string[];
  /** The agent keeps `Idempotency-Key`, as Chorus does: a message whose answer was lost is sent again. Default: false. */
  readonly idempotent?: boolean;
}

/** Of these options, what decides how the agent's card is read: agents are remembered by it. */
export const cardKey = (url: string, options: PeerOptions): string =>
  JSON.stringify([
    url,
    options.protocol ?? 'auto',
    options.interfaceOrigins ?? [],
    options.cardSignature ?? 'ignored',
    options.trustedKeys?.keys ?? [],
    options.trustedKeySets ?? [],
    Object.entries(options.headers ?? {}).sort(),
  ]);
