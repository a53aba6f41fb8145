import type { LookupFunction } from 'node:net';
import { Agent, Pool, type Dispatcher } from 'undici';
import { dnsAddresses, systemAddresses, type AddressResolver, type HostAddress } from './address-resolver.js';
import { answerOf } from './answer.js';
import { Deadline } from './deadline.js';
import { OutboundFailedError, OutboundRefusedError, outboundError } from './errors.js';
import type { Destination, OutboundPolicy } from './outbound-policy.js';

export interface GuardedFetchOptions {
  /** Looks up names that the policy does not name. Default: DNS alone. */
  readonly resolve?: AddressResolver;
  /** Looks up names that the policy allows by name. Default: as the machine does. */
  readonly resolveNamed?: AddressResolver;
  /** Certificates, as PEM, that are trusted instead of Node's. */
  readonly ca?: string;
  /** How long `checkUrl` waits for DNS. Default 2 s: registering a URL is not to hang with somebody's name server. */
  readonly checkTimeoutMs?: number;
  /** At the same time, to one origin; further requests wait. Default 16. */
  readonly connectionsPerOrigin?: number;
}

export interface OutboundRequest {
  /** Default: GET, or POST with a body. */
  readonly method?: string;
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  readonly body?: string | Uint8Array;
  /** Ends the exchange, which rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** For the whole exchange, look-up and last byte of the body included. Default 15 s. */
  readonly timeoutMs?: number;
  /**
   * For streams: when given, `timeoutMs` ends with the headers of the answer, and then only silence of this length ends it. A body that
   * its reader does not read counts as silent.
   */
  readonly idleTimeoutMs?: number;
  /** Of the answer's body as it is on the wire; reading more is an error. Default 1 MiB. */
  readonly maxBytes?: number;
}

const TIMEOUT_MS = 15_000;
const CONNECT_TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;
const CHECK_TIMEOUT_MS = 2000;
/** A connection is at most this old: its host's addresses are asked for, and judged, anew. */
const CONNECTION_AGE_MS = 300_000;
const LONGEST_KEEP_ALIVE_MS = 60_000;

/**
 * `fetch` for URLs that strangers write. A host is looked up once for a connection, all its addresses are judged, and those are what is
 * dialled; the certificate is checked against its name. Redirects are answers like others. Bodies are not decompressed. Proxies and
 * switches of the environment (`HTTP_PROXY`, `NODE_TLS_REJECT_UNAUTHORIZED`) change nothing.
 */
export class GuardedFetch {
  readonly #agent: Agent;
  readonly #closing = new AbortController();
  readonly #resolve: AddressResolver;
  readonly #resolveNamed: AddressResolver;
  readonly #checkTimeoutMs: number;

  constructor(
    readonly policy: OutboundPolicy,
    options: GuardedFetchOptions = {},
  ) {
    this.#resolve = options.resolve ?? dnsAddresses();
    this.#resolveNamed = options.resolveNamed ?? systemAddresses;
    this.#checkTimeoutMs = options.checkTimeoutMs ?? CHECK_TIMEOUT_MS;
    this.#agent = new Agent({
      factory: (origin) =>
        new Pool(origin, {
          connections: options.connectionsPerOrigin ?? 16,
          pipelining: 1,
          allowH2: false,
          clientTtl: CONNECTION_AGE_MS,
          keepAliveMaxTimeout: LONGEST_KEEP_ALIVE_MS,
          // The deadline bounds both.
          headersTimeout: 0,
          bodyTimeout: 0,
          connectTimeout: CONNECT_TIMEOUT_MS,
          // undici dials what this look-up answers; an address in the URL is not looked up, and was judged by inspect().
          connect: { lookup: this.#lookupFor(policy.inspect(String(origin))), rejectUnauthorized: true, ca: options.ca },
        }),
    });
  }

  /**
   * The answer, whatever its status; a 3xx is one. Its body can be read within the same time and must be read or cancelled for its
   * connection to be free before that.
   * @throws OutboundRefusedError, before anything is dialled; OutboundTimeoutError; OutboundFailedError. Reading the body throws the
   * last two.
   */
  async fetch(url: string | URL, request: OutboundRequest = {}): Promise<Response> {
    const { origin, path } = this.policy.inspect(String(url));
    const deadline = new Deadline(request.timeoutMs ?? TIMEOUT_MS, request.signal);
    try {
      // undici hears of an abort only once the host is connected; a look-up or a dial may take longer than the time.
      const requested = this.#agent.request({
        origin,
        path,
        method: (request.method ?? (request.body === undefined ? 'GET' : 'POST')) as Dispatcher.HttpMethod,
        headers: headersFor(request),
        body: request.body,
        signal: deadline.signal,
        responseHeaders: 'raw',
      });
      const received = await deadline.race(requested);
      if (request.idleTimeoutMs !== undefined) deadline.onlySilenceEnds(request.idleTimeoutMs);
      return answerOf(received, deadline, request.maxBytes ?? MAX_BYTES);
    } catch (error) {
      deadline.end();
      throw deadline.signal.aborted ? deadline.signal.reason : outboundError(error);
    }
  }

  /**
   * Whether a URL may be registered. Where its name leads is judged if DNS answers in time; a name that has no address today, or
   * no name server that answers, passes: it is judged again with each connection.
   * @throws OutboundRefusedError
   */
  async checkUrl(url: string): Promise<void> {
    const destination = this.policy.inspect(url);
    if (destination.isAddress) return;
    const deadline = new Deadline(this.#checkTimeoutMs);
    try {
      await deadline.race(this.#addressesFor(destination));
    } catch (error) {
      if (error instanceof OutboundRefusedError) throw error;
    } finally {
      deadline.end();
    }
  }

  /** Ends every connection and look-up; exchanges that still run fail. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#agent.destroy();
  }

  #lookupFor(destination: Destination): LookupFunction {
    return (_hostname, { all }, callback) => {
      const deadline = new Deadline(CONNECT_TIMEOUT_MS, this.#closing.signal);
      const looking = deadline.race(this.#addressesFor(destination)).finally(() => deadline.end());
      looking.then(
        (addresses) => {
          if (all === true) callback(null, [...addresses]);
          else callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
        },
        (error: Error) => callback(error, ''),
      );
    };
  }

  /** The addresses of a name, each of which may be dialled. */
  async #addressesFor(destination: Destination): Promise<readonly HostAddress[]> {
    const addresses = await (destination.isNamed ? this.#resolveNamed : this.#resolve)(destination.hostname);
    if (addresses.length === 0) throw new OutboundFailedError('The host name has no address', 'ENODATA');
    this.policy.permit(
      destination,
      addresses.map(({ address }) => address),
    );
    return addresses;
  }
}

function headersFor(request: OutboundRequest): Record<string, string> {
  const headers = new Headers(request.headers);
  // The host that is asked is the one that was judged.
  headers.delete('host');
  if (!headers.has('user-agent')) headers.set('user-agent', 'Chorus');
  if (!headers.has('accept-encoding')) headers.set('accept-encoding', 'identity');
  return Object.fromEntries(headers);
}
