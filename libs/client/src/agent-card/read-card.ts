import { parseUrl } from '#protocol';
import { fieldsOf, listOf, textOf, type Fields } from '../wire/fields.js';
import type { PeerInterface } from './peer-interface.js';

/** What a client needs of an agent's card, whichever version it is written in. */
export interface PeerCard {
  readonly name: string;
  /** In the agent's order of preference; of a version or a binding that is not spoken here, none. */
  readonly interfaces: readonly PeerInterface[];
  readonly streaming: boolean;
}

/**
 * Reads a card of 1.0 (`supportedInterfaces`) or of 0.3 (`url`, `preferredTransport`, `additionalInterfaces`), or one that is both.
 * Throws AnswerShapeError.
 */
export function readPeerCard(value: unknown): PeerCard {
  const card = fieldsOf(value, 'the agent card');
  const capabilities = fieldsOf(card['capabilities'] ?? {}, "the agent card's capabilities");
  return {
    name: textOf(card, 'name') ?? '',
    interfaces: distinct([...listOf(card['supportedInterfaces'], ofV1), ...(isV03(card) ? interfacesOfV03(card) : [])]),
    streaming: capabilities['streaming'] === true,
  };
}

function ofV1(entry: unknown): PeerInterface | undefined {
  const fields = fieldsOf(entry, 'an interface of the agent card');
  const tenant = textOf(fields, 'tenant');
  const found = peerInterface(textOf(fields, 'url'), textOf(fields, 'protocolBinding'), textOf(fields, 'protocolVersion'));
  return found && (tenant === undefined ? found : { ...found, tenant });
}

/** A card of 1.0 has no `url` of its own. */
const isV03 = (card: Fields): boolean => textOf(card, 'url') !== undefined;

function interfacesOfV03(card: Fields): (PeerInterface | undefined)[] {
  // Before 0.3 the card said nothing of transports, and the one was JSON-RPC.
  const version = textOf(card, 'protocolVersion')?.startsWith('1.') ? '1.0' : '0.3';
  const preferred = peerInterface(textOf(card, 'url'), textOf(card, 'preferredTransport') ?? 'JSONRPC', version);
  const additional = listOf(card['additionalInterfaces'], (entry) => {
    const fields = fieldsOf(entry, 'an interface of the agent card');
    return peerInterface(textOf(fields, 'url'), textOf(fields, 'transport'), version);
  });
  return [preferred, ...additional];
}

function peerInterface(url: string | undefined, binding: string | undefined, version = ''): PeerInterface | undefined {
  const spoken = /^1\.0(\.|$)/.test(version) ? '1.0' : /^0\.[23](\.|$)/.test(version) ? '0.3' : undefined;
  if (url === undefined || parseUrl(url) === undefined || spoken === undefined) return undefined;
  return binding === 'JSONRPC' || binding === 'HTTP+JSON' ? { url, binding, version: spoken } : undefined;
}

function distinct(interfaces: readonly (PeerInterface | undefined)[]): PeerInterface[] {
  const byName = new Map<string, PeerInterface>();
  for (const each of interfaces) {
    if (!each) continue;
    const name = `${each.version} ${each.binding} ${each.url}`;
    if (!byName.has(name)) byName.set(name, each);
  }
  return [...byName.values()];
}
