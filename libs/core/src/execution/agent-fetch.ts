/** What `context.fetch` may be told. */
export interface AgentFetchOptions {
  /** GET, or POST with a body, unless given. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>> | Headers;
  readonly body?: string | Uint8Array;
  /** Ends the exchange; the turn's own signal does in any case. */
  readonly signal?: AbortSignal;
  /** For the whole exchange, redirects and the last byte of the body included, in milliseconds; 15,000 unless given. */
  readonly timeoutMs?: number;
  /**
   * For streams: when given, `timeoutMs` ends with the headers of the answer, and then only a silence of so many milliseconds ends it.
   */
  readonly idleTimeoutMs?: number;
  /** Of the answer's body; reading more is an error. 1 MiB unless given. */
  readonly maxBytes?: number;
  /** `follow` (default): at most 5 of them; `manual`: a 3xx is an answer like another; `error`: it is an OutboundFailedError. */
  readonly redirect?: 'follow' | 'manual' | 'error';
}

/**
 * `fetch` for URLs that strangers may have written: it reaches public addresses, and what CHORUS_OUTBOUND_ALLOW names. Each redirect is
 * judged anew; to another origin it takes no headers but `accept`, `accept-language`, `content-type` and `user-agent` along, and from https to http it is
 * refused. Rejects with OutboundRefusedError, OutboundTimeoutError or OutboundFailedError, by their `name`, and with the signal's reason.
 */
export type AgentFetch = (url: string | URL, options?: AgentFetchOptions) => Promise<Response>;
