import { createHash } from 'node:crypto';
import type { AnnouncedAgent } from '#core';
import type { AgentCard, Scope } from '#protocol';
import type { Host } from '../host.js';
import type { Origin } from '../origin.js';
import { agentCardOf, cardOfBoth, legacyCardOf, type CardForm } from './card-forms.js';
import { extendedAgentOf } from './extended-card.js';
import type { Reach } from './interfaces.js';

export interface ServedCard {
  readonly body: string;
  readonly etag: string;
  /** HTTP date of the last change of the definition, or of what else the card depends on. */
  readonly lastModified: string;
  /** The same in whole seconds since the epoch. */
  readonly modifiedSeconds: number;
}

export interface CardOptions {
  readonly form: CardForm;
  /** Does the agent answer where none is named? */
  readonly isDefault: boolean;
  /** The extended card, as a caller with these scopes sees it; absent: the one that everyone sees. */
  readonly extendedFor?: ReadonlySet<Scope>;
}

const MOST_CARDS = 1000;

/** Cards as bytes, made once for each agent, origin, form and set of scopes until the definition changes. */
export class ServedCards {
  readonly #cards = new Map<string, { readonly updatedAt: number; readonly card: Promise<ServedCard> }>();

  constructor(
    private readonly host: Pick<
      Host,
      'serveV03' | 'grpcAddressOf' | 'authentication' | 'pushNotifications' | 'cardSigner' | 'cardsChangedAt' | 'logger'
    >,
  ) {}

  of(agent: AnnouncedAgent, origin: Origin, { form, isDefault, extendedFor }: CardOptions): Promise<ServedCard> {
    const grpcAddress = this.host.grpcAddressOf?.(origin);
    const audience = extendedFor === undefined ? 'everyone' : [...extendedFor].sort().join(',');
    const key = `${form} ${agent.id} ${isDefault} ${audience} ${origin.url} ${grpcAddress}`;
    const known = this.#cards.get(key);
    if (known?.updatedAt === agent.updatedAt) return known.card;
    const shown = extendedFor === undefined ? agent : extendedAgentOf(agent, extendedFor);
    const card = this.#render(shown, { origin: origin.url, serveV03: this.host.serveV03, grpcAddress, isDefault }, form);
    // Origins can come from a Host header: whoever makes them up must not fill the memory.
    if (this.#cards.size >= MOST_CARDS) this.#cards.clear();
    this.#cards.set(key, { updatedAt: agent.updatedAt, card });
    return card;
  }

  async #render(agent: AnnouncedAgent, reach: Reach, form: CardForm): Promise<ServedCard> {
    const { cardsChangedAt = 0 } = this.host;
    const card = agentCardOf(this.host, agent, reach);
    const { body, etag } =
      form === '1.0' ? await this.#signed(card, agent.id) : unsigned(form === '0.3' ? legacyCardOf(card) : cardOfBoth(card));
    const modifiedSeconds = Math.floor(Math.max(agent.updatedAt, cardsChangedAt) / 1000);
    return { body, etag, lastModified: new Date(modifiedSeconds * 1000).toUTCString(), modifiedSeconds };
  }

  /** A card that cannot be signed is served without a signature, and the log says why: a client that needs one sees that it lacks. */
  async #signed(card: AgentCard, agentId: string): Promise<Pick<ServedCard, 'body' | 'etag'>> {
    const { cardSigner, logger } = this.host;
    if (!cardSigner) return unsigned(card);
    try {
      const signed = { ...card, signatures: await cardSigner.sign(card) };
      if (cardSigner.isDeterministic) return unsigned(signed);
      // Every replica signs for itself, and each ECDSA signature is another: what the tag stands for has to be the same of all.
      const tag = hash(JSON.stringify([card, cardSigner.keyIds]));
      return { body: JSON.stringify(signed), etag: `W/"${tag}"` };
    } catch (err) {
      logger.error('An agent card is served unsigned', { agentId, err });
      return unsigned(card);
    }
  }
}

/** With a strong tag: of the bytes. */
function unsigned(card: object): Pick<ServedCard, 'body' | 'etag'> {
  const body = JSON.stringify(card);
  return { body, etag: `"${hash(body)}"` };
}

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url');
