import {
  EVERY_EVENT_EXTENSION,
  type AgentDirectory,
  type AnnouncedAgent,
  type AuditTrail,
  type Caller,
  type CallerLimits,
  type FailedCredentials,
  type Logger,
  type RequestHandler,
  type StreamLimits,
} from '#core';
import type { AgentCapabilities, AgentCard, AgentExtension, Limits, SecurityScheme } from '#protocol';
import type { AdminRoute } from './admin/admin-route.js';
import type { ServedCards } from './agent-card/served-card.js';
import type { Cors } from './cors.js';
import type { CallRequest } from './http.js';
import type { Origin } from './origin.js';

/** Signs cards, and says with which keys. */
export interface CardSigner {
  /** The public keys, those that no longer sign too (RFC 7517). */
  readonly keySet: { readonly keys: readonly object[] };
  /** The ids of the keys that sign. */
  readonly keyIds: readonly string[];
  /** Are two signatures of one card the same bytes? */
  readonly isDeterministic: boolean;
  sign(card: AgentCard): Promise<NonNullable<AgentCard['signatures']>>;
}

/** The public keys that push notifications are verified with. */
export interface NotificationKeySet {
  /** As they stand in a key set. Rejects with StoreUnavailableError when they cannot be known now. */
  list(): Promise<readonly object[]>;
}

/** Says who sent a request. */
export interface Authentication {
  /** What agent cards declare, by name: each of them alone is enough. */
  readonly schemes: Readonly<Record<string, SecurityScheme>>;
  /** Issuers of tokens that are accepted; empty when tokens are not. */
  readonly authorizationServers?: readonly string[];
  /** Rejects with UnauthenticatedError; with StoreUnavailableError when nobody can say now. */
  authenticate(request: Pick<CallRequest, 'headers' | 'clientCertificate'>): Promise<Caller>;
}

/** What the bindings stand on. */
export interface Host {
  readonly handler: RequestHandler;
  readonly agents: Pick<AgentDirectory, 'find' | 'findDefault' | 'list'>;
  readonly limits: Limits;
  readonly cors: Cors;
  /** Are requests of A2A 0.3 answered beside those of 1.0? */
  readonly serveV03: boolean;
  readonly cards: Pick<ServedCards, 'of'>;
  /** Host and port by which a client that came by this origin reaches gRPC; undefined when nobody knows, or it is not served. */
  readonly grpcAddressOf?: (origin: Origin) => string | undefined;
  /** Under what a client reaches HTTP that reaches gRPC by this authority, which it wrote itself. Absent: under the same. */
  readonly httpOriginOf?: (grpcAuthority: string) => Origin;
  /** Absent: whoever can reach this host may do anything. */
  readonly authentication?: Authentication;
  /** What administrators can ask for below `/admin`; only where there is authentication. */
  readonly adminRoutes?: readonly AdminRoute[];
  /** Absent: cards are not signed. Its signatures hold for one origin, the configured one. */
  readonly cardSigner?: CardSigner;
  /** Are push notifications offered, and delivered by someone? */
  readonly pushNotifications?: boolean;
  /** What push notifications are signed with; published beside the keys of cards. */
  readonly notificationKeys?: NotificationKeySet;
  /** When that changed last on which cards depend besides their agents, in milliseconds since the epoch. */
  readonly cardsChangedAt?: number;
  /** Absent: nothing is told to the audit log. */
  readonly audit?: AuditTrail;
  /** Absent: a caller may send as much as it likes. */
  readonly callerLimits?: Pick<CallerLimits, 'admit'>;
  /** Absent: a caller may have as many streams open as it likes. */
  readonly streamLimits?: Pick<StreamLimits, 'open'>;
  /** Absent: whoever tries credentials is not slowed down. */
  readonly failedCredentials?: FailedCredentials;
  /** Is the peer a proxy whose `X-Forwarded-For` is to be believed? Asked of gRPC calls. */
  readonly isTrusted?: (address: string) => boolean;
  /** The header, in lower case, in which such a proxy hands on the client's certificate, verified. Asked of gRPC calls. */
  readonly certificateHeader?: string;
  readonly logger: Logger;
}

/** What every host speaks; 0.3 comes beside it when that is switched on. Newest first. */
export const SUPPORTED_VERSIONS: readonly string[] = Object.freeze(['1.0']);

/**
 * What an agent of this host can do besides what its author says; its card says the same. An extended card is for callers who have shown
 * who they are, so that there is none where nobody is asked.
 */
export const capabilitiesOf = (
  { authentication, pushNotifications = false }: Pick<Host, 'authentication' | 'pushNotifications'>,
  { extendedCard }: Pick<AnnouncedAgent, 'extendedCard'>,
): AgentCapabilities => ({
  streaming: true,
  pushNotifications,
  extendedAgentCard: authentication !== undefined && extendedCard !== undefined,
});

/** The extensions that the host has beside those of an agent. */
export const extensionsOf = ({ pushNotifications }: Pick<Host, 'pushNotifications'>): readonly AgentExtension[] =>
  pushNotifications === true ? [EVERY_EVENT] : [];

const EVERY_EVENT: AgentExtension = Object.freeze({
  uri: EVERY_EVENT_EXTENSION,
  description: 'A push notification configuration that is made with it is told of every event.',
});
