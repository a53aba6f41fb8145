import { createHash } from 'node:crypto';
import type { AnnouncedAgent } from '#core';
import type { AgentCard } from '#protocol';
import { HOST_CAPABILITIES } from '../host.js';

export interface ServedCard {
  readonly body: string;
  /** Strong: of the bytes. */
  readonly etag: string;
  /** HTTP date of the definition's last change. */
  readonly lastModified: string;
  /** The same in whole seconds since the epoch. */
  readonly modifiedSeconds: number;
}

/** The 1.0 card of an agent as clients that reach this host at `origin` (no trailing slash) see it. */
function agentCardOf({ id, card }: AnnouncedAgent, origin: string): AgentCard {
  const url = `${origin}/agents/${id}`;
  const { name, description, capabilities, ...rest } = card;
  const extensions = capabilities?.extensions;
  return {
    name,
    description,
    supportedInterfaces: [
      { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { url, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    ],
    ...rest,
    capabilities: { ...HOST_CAPABILITIES, ...(extensions && extensions.length > 0 ? { extensions } : {}) },
  };
}

const MOST_CARDS = 1000;

/** Cards as bytes, made once for each agent and origin until the definition changes. */
export class ServedCards {
  readonly #cards = new Map<string, { readonly updatedAt: number; readonly card: ServedCard }>();

  of(agent: AnnouncedAgent, origin: string): ServedCard {
    const key = `${agent.id} ${origin}`;
    const known = this.#cards.get(key);
    if (known?.updatedAt === agent.updatedAt) return known.card;
    const card = render(agent, origin);
    // Origins can come from a Host header: whoever makes them up must not fill the memory.
    if (this.#cards.size >= MOST_CARDS) this.#cards.clear();
    this.#cards.set(key, { updatedAt: agent.updatedAt, card });
    return card;
  }
}

function render(agent: AnnouncedAgent, origin: string): ServedCard {
  const body = JSON.stringify(agentCardOf(agent, origin));
  const modifiedSeconds = Math.floor(agent.updatedAt / 1000);
  return {
    body,
    etag: `"${createHash('sha256').update(body).digest('base64url')}"`,
    lastModified: new Date(modifiedSeconds * 1000).toUTCString(),
    modifiedSeconds,
  };
}
