import { parseUrl } from '#protocol';
import { verifyAgentCard } from '#signing';
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { PeerInvalidAnswerError, PeerNotServedError, PeerRefusedError } from '../errors.js';
import type { HttpExchange } from '../http/http-exchange.js';
import { reading } from '../bindings/reading.js';
import type { PeerInterface } from './peer-interface.js';
import { cardKey, type PeerOptions } from './peer-options.js';
import { Peer } from './peer.js';
import { readPeerCard } from './read-card.js';

export interface PeerDirectoryOptions {
  /** How long an agent is remembered, in milliseconds. Default: five minutes. */
  readonly ttlMs?: number;
  /** How many are. Default: 1000. */
  readonly max?: number;
}

const TTL_MS = 300_000;
const MOST = 1000;
const CARD_TIMEOUT_MS = 10_000;

/** Where agents can be called: their cards, read, judged and remembered. */
export class PeerDirectory {
  readonly #peers: LRUCache<string, Promise<Peer>>;

  constructor({ ttlMs = TTL_MS, max = MOST }: PeerDirectoryOptions = {}) {
    this.#peers = new LRUCache({ max, ttl: ttlMs });
  }

  /**
   * The agent whose base is `url`, or whose card is there when it ends in `.json`. Agents without a card are taken to be at the URL itself.
   * Rejects with the errors of HttpExchange and with PeerRefusedError; failures are not remembered.
   */
  find(url: string, exchange: HttpExchange, options: PeerOptions, signal?: AbortSignal): Promise<Peer> {
    // Credentials are part of the key, and are not to be kept in one more place than needed.
    const key = createHash('sha256').update(cardKey(url, options)).digest('base64');
    const known = this.#peers.get(key);
    if (known) return known;
    const finding = new CardReader(url, exchange, options).peer();
    this.#peers.set(key, finding);
    // Whoever asks first waits no longer than it likes; the others are not told to stop because of it.
    finding.catch(() => {
      if (this.#peers.get(key) === finding) this.#peers.delete(key);
    });
    return signal ? abortable(finding, signal) : finding;
  }

  /** Forgets an agent: it is not where it was. */
  forget(url: string, options: PeerOptions): void {
    this.#peers.delete(createHash('sha256').update(cardKey(url, options)).digest('base64'));
  }
}

class CardReader {
  readonly #isCard: boolean;

  constructor(
    private readonly url: string,
    private readonly exchange: HttpExchange,
    private readonly options: PeerOptions,
  ) {
    this.#isCard = new URL(url).pathname.endsWith('.json');
  }

  async peer(): Promise<Peer> {
    for (const cardUrl of this.#cardUrls()) {
      const card = await this.#fetch(cardUrl);
      if (card === undefined) continue;
      if (this.options.cardSignature === 'required') await this.#verify(card, cardUrl);
      const { interfaces, streaming } = reading(this.url, () => readPeerCard(card));
      return new Peer(this.url, this.#usable(interfaces, cardUrl), streaming);
    }
    return this.#withoutCard();
  }

  #cardUrls(): readonly string[] {
    if (this.#isCard) return [this.url];
    const base = this.url.replace(/\/+$/, '');
    return [`${base}/.well-known/agent-card.json`, `${base}/.well-known/agent.json`];
  }

  /** Undefined for a definitive no. */
  async #fetch(cardUrl: string): Promise<unknown> {
    const headers = { ...this.options.headers, 'a2a-version': this.options.protocol === '0.3' ? '0.3' : '1.0' };
    try {
      const { status, body } = await this.exchange.json(cardUrl, { headers, timeoutMs: CARD_TIMEOUT_MS });
      if (status === 404 || status === 405) return undefined;
      if (status === 200) return body;
      throw new PeerInvalidAnswerError(this.url, `its card is answered with status ${status}`);
    } catch (error) {
      if (error instanceof PeerNotServedError) return undefined;
      throw error;
    }
  }

  async #verify(card: unknown, cardUrl: string): Promise<void> {
    const { trustedKeys, trustedKeySets = [] } = this.options;
    const { verified, signatures } = await verifyAgentCard(card, {
      ...(trustedKeys ? { keys: trustedKeys } : {}),
      keySets: {
        ...(trustedKeys ? {} : { cardUrl }),
        allowed: trustedKeySets,
        fetch: async (url) => (await this.exchange.json(url, { timeoutMs: CARD_TIMEOUT_MS })).body,
      },
    });
    if (verified) return;
    const reasons = signatures.map(({ reason }) => reason ?? '').join('; ');
    throw new PeerRefusedError(this.url, `its card has no valid signature${reasons === '' ? '' : ` (${reasons})`}`);
  }

  #usable(interfaces: readonly PeerInterface[], cardUrl: string): readonly PeerInterface[] {
    const { protocol = 'auto', interfaceOrigins = [] } = this.options;
    const wanted = interfaces.filter(({ version }) => protocol === 'auto' || version === protocol);
    const allowed = new Set([new URL(cardUrl).origin, ...interfaceOrigins]);
    const usable = wanted.filter(({ url }) => allowed.has(originOf(url)));
    // 1.0 says more, so it comes first; within a version the agent's order counts.
    const ordered = [...usable.filter(({ version }) => version === '1.0'), ...usable.filter(({ version }) => version === '0.3')];
    if (ordered.length > 0) return ordered;
    if (wanted.length === 0) {
      const which = protocol === 'auto' ? '1.0 or 0.3' : protocol;
      throw new PeerRefusedError(this.url, `its card names no interface of A2A ${which} over JSON-RPC or HTTP+JSON`);
    }
    const elsewhere = [...new Set(wanted.map(({ url }) => originOf(url)))].join(', ');
    throw new PeerRefusedError(this.url, `its card says to call it at ${elsewhere}, which interfaceOrigins does not name`);
  }

  #withoutCard(): Peer {
    const { protocol = 'auto', cardSignature } = this.options;
    if (this.#isCard) throw new PeerNotServedError(this.url, 'there is no agent card');
    if (cardSignature === 'required') throw new PeerRefusedError(this.url, 'it has no card that could be signed');
    const versions = protocol === 'auto' ? (['1.0', '0.3'] as const) : [protocol];
    const interfaces = versions.map((version): PeerInterface => ({ url: this.url, binding: 'JSONRPC', version }));
    return new Peer(this.url, interfaces, undefined);
  }
}

const originOf = (url: string): string => parseUrl(url)?.origin ?? '';

/** `work`, or the rejection with the signal's reason. */
async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  let onAbort = () => {};
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
