import type { Binding, BindingName } from './bindings/binding.js';
import { BINDINGS } from './bindings/binding.js';
import { GrpcBinding } from './bindings/grpc.js';
import { HttpJsonBinding } from './bindings/http-json.js';
import { JsonRpcBinding } from './bindings/json-rpc.js';
import type { ProbeOptions } from './options.js';
import { exchange, type HttpReply } from './wire/http.js';
import { at, excerpt, isObject, listOf, member, type JsonObject } from './wire/json.js';
import { DEFAULT_WIRE_LIMITS, WireFault, type WireLimits } from './wire/wire-fault.js';

/** The agent cannot be probed at all: it is not there, or has no card that could be read. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError';
}

/** An interface that the card declares; without a binding where it is not spoken to, and why. */
export interface DeclaredInterface {
  readonly url: string;
  readonly protocolBinding: string;
  readonly protocolVersion: string;
  readonly binding?: Binding;
  readonly why?: string;
}

export interface Target {
  readonly options: ProbeOptions;
  readonly limits: WireLimits;
  readonly cardUrl: string;
  readonly cardReply: HttpReply;
  readonly card: JsonObject;
  readonly interfaces: readonly DeclaredInterface[];
}

const WELL_KNOWN = '.well-known/agent-card.json';

/** Fetches the card. Throws UnreachableError. */
export async function findTarget(options: ProbeOptions): Promise<Target> {
  const limits = { ...DEFAULT_WIRE_LIMITS, timeoutMs: options.timeoutMs };
  const cardUrl = cardUrlOf(options.url);
  try {
    const cardReply = await getCard(cardUrl, limits, {});
    const { status, headers, text } = cardReply;
    if (status >= 300 && status < 400)
      throw new UnreachableError(
        `${cardUrl} redirects to ${excerpt(headers['location'] ?? 'nowhere')}; probe that address instead`,
      );
    if (status !== 200) throw new UnreachableError(`${cardUrl} answers ${status}: ${excerpt(text)}`);
    const card = cardReply.json();
    if (!isObject(card)) throw new UnreachableError(`${cardUrl} is not a card, but ${excerpt(text)}`);
    const interfaces = interfacesOf(card, cardUrl, options, limits);
    return { options, limits, cardUrl, cardReply, card, interfaces };
  } catch (error) {
    if (error instanceof WireFault) throw new UnreachableError(`${cardUrl}: ${error.message}`);
    throw error;
  }
}

export const getCard = (url: string, limits: WireLimits, headers: Record<string, string>): Promise<HttpReply> =>
  exchange({ method: 'GET', url, headers: { accept: 'application/json', 'a2a-version': '1.0', ...headers } }, limits);

function cardUrlOf(given: string): string {
  const text = /^https?:\/\//i.test(given) ? given : `http://${given}`;
  if (!URL.canParse(text)) throw new UnreachableError(`${given} is no URL`);
  const url = new URL(text);
  if (url.pathname.endsWith('.json')) return url.href;
  return new URL(WELL_KNOWN, `${url.origin}${url.pathname.replace(/\/?$/, '/')}`).href;
}

function interfacesOf(card: JsonObject, cardUrl: string, options: ProbeOptions, limits: WireLimits): DeclaredInterface[] {
  const credentials = credentialsOf(card, options);
  const found = listOf(card['supportedInterfaces']).map((declared): DeclaredInterface => {
    const text = (name: string): string => {
      const value = member(declared, name);
      return typeof value === 'string' ? value : '';
    };
    const [url, protocolBinding, protocolVersion] = [text('url'), text('protocolBinding'), text('protocolVersion')];
    const tenant = text('tenant');
    const known = { url, protocolBinding, protocolVersion };
    const why = whyNot(known, cardUrl, options);
    if (why !== undefined) return { ...known, why };
    const settings = { url: absolute(url, protocolBinding, cardUrl), credentials, limits, ...(tenant && { tenant }) };
    return { ...known, binding: bindingOf(protocolBinding as BindingName, settings) };
  });
  // A second interface of the same binding is another address of the same thing.
  return found.map((one, n) =>
    one.binding && found.findIndex((other) => other.binding?.name === one.binding?.name) < n
      ? { ...one, binding: undefined, why: `another ${one.protocolBinding} interface is probed` }
      : one,
  );
}

function whyNot(
  { url, protocolBinding, protocolVersion }: DeclaredInterface,
  cardUrl: string,
  options: ProbeOptions,
): string | undefined {
  if (!/^1\.0(\.\d+)?$/.test(protocolVersion)) return `version ${protocolVersion || 'none'} is not 1.0`;
  if (!(BINDINGS as readonly string[]).includes(protocolBinding))
    return `the binding ${excerpt(protocolBinding, 60) || 'none'} is not spoken here`;
  const full = absolute(url, protocolBinding, cardUrl);
  if (!URL.canParse(full) || !/^https?:$/.test(new URL(full).protocol)) return `${excerpt(url, 60) || 'nothing'} is no URL`;
  const { hostname } = new URL(full);
  if (hostname === new URL(cardUrl).hostname || options.trustHosts.includes(hostname)) return undefined;
  return `it is declared at another host than the card's; allow it with --trust-host ${hostname}`;
}

/** gRPC addresses have no scheme by convention: TLS is then spoken where the card came over TLS. */
function absolute(url: string, protocolBinding: string, cardUrl: string): string {
  return protocolBinding !== 'GRPC' || /^\w+:\/\//.test(url)
    ? url
    : `${new URL(cardUrl).protocol}//${url.replace(/^dns:\/*/, '')}`;
}

type Settings = ConstructorParameters<typeof JsonRpcBinding>[0];

function bindingOf(name: BindingName, settings: Settings): Binding {
  if (name === 'GRPC') return new GrpcBinding(settings);
  return name === 'JSONRPC' ? new JsonRpcBinding(settings) : new HttpJsonBinding(settings);
}

function credentialsOf(card: JsonObject, { token, apiKey, headers }: ProbeOptions): Record<string, string> {
  const schemes = Object.values(isObject(card['securitySchemes']) ? card['securitySchemes'] : {});
  const named = schemes.map((scheme) => at(scheme, 'apiKeySecurityScheme', 'name')).find((name) => typeof name === 'string');
  return {
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...(apiKey !== undefined && {
      [typeof named === 'string' && /^[\w-]+$/.test(named) ? named.toLowerCase() : 'x-api-key']: apiKey,
    }),
    ...headers,
  };
}

/** Whether the card states `capabilities.<name>: true`. */
export const hasCapability = ({ card }: Target, name: string): boolean => at(card, 'capabilities', name) === true;
