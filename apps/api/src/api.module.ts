import {
  AgentDirectory,
  AuditTrail,
  CallerLimits,
  CountingServer,
  DEFAULT_READER_TIMES,
  FailedCredentials,
  ReplicaPlaces,
  StreamLimits,
  TaskReaders,
  createRequestHandler,
  type Logger,
} from '#core';
import type { Config } from '#platform';
import { DEFAULT_LIMITS, type Limits } from '#protocol';
import { PublishedKeys } from '#push';
import {
  auditRoute,
  Cors,
  eraseRoute,
  HttpBindings,
  KeepAlive,
  originBeside,
  pushRoutes,
  ServedCards,
  type AdminRoute,
  type CardSigner,
  type Host,
} from '#transport';
import { type DynamicModule, Module } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { A2AController } from './a2a.controller.js';
import { authenticationOf } from './authentication.js';
import type { Connections } from './connections.js';
import { Exchange } from './exchange.js';
import { HealthChecks } from './health-checks.js';
import { HealthController } from './health.controller.js';
import { pushSetupOf } from './push-setup.js';
import { trustedPeers } from './trusted-peers.js';

/** How long a full socket may stand still. */
export const STALL_MS = 30_000;

/** The parts of an API process that need no connection of their own. */
export interface ApiParts {
  readonly readers: TaskReaders;
  /** Of streams, when they are limited. To be closed when there are none any more. */
  readonly places: ReplicaPlaces | undefined;
  /** What every binding stands on. */
  readonly host: Host;
  readonly bindings: HttpBindings;
  readonly exchange: Exchange;
  readonly health: HealthChecks;
}

/** What an API process has that is not in its configuration as it is. */
export interface ApiSettings {
  readonly pageTokenKey: Buffer;
  /** Absent: agent cards are not signed. */
  readonly cardSigner?: CardSigner | undefined;
  readonly grpcAddressOf: NonNullable<Host['grpcAddressOf']>;
  /** Where HTTP is listened on; asked once somebody is listening. */
  readonly httpPort: () => number;
}

/** Puts an API process together: the one place that knows which adapter stands behind a port. Throws AllowEntryError. */
export function assembleApi(
  config: Config,
  connections: Connections,
  { pageTokenKey, cardSigner, grpcAddressOf, httpPort }: ApiSettings,
  logger: Logger,
): ApiParts {
  const { store, registry, queue, bus, notificationKeys } = connections;
  const replicaId = `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const agents = new AgentDirectory(registry, config.defaultAgent === undefined ? {} : { defaultAgent: config.defaultAgent });
  const readers = new TaskReaders(store, bus, logger, { ...DEFAULT_READER_TIMES, replicaId });
  const push = pushSetupOf(config, connections.pushConfigs);
  const handler = createRequestHandler({
    agents,
    store,
    queue,
    bus,
    readers,
    logger,
    pageTokenKey,
    cancelGraceMs: config.cancelAnswerMs,
    ...(push === undefined ? {} : { push }),
  });
  const authentication = authenticationOf(config, connections.apiKeys, logger);
  const places = connections.places && new ReplicaPlaces(connections.places, new CountingServer(logger), { holder: replicaId });
  const audit = auditTrailOf(config, connections, logger);
  const isTrusted = trustedPeers(config.trustProxy);
  const certificateHeader = config.mtlsHeader === undefined ? {} : { certificateHeader: config.mtlsHeader };
  const cors = new Cors(config.corsOrigins);
  const cards = {
    serveV03: config.serveV03,
    pushNotifications: push !== undefined,
    grpcAddressOf,
    ...(authentication === undefined ? {} : { authentication }),
    ...(cardSigner === undefined ? {} : { cardSigner }),
    // Settings may have changed with this start.
    cardsChangedAt: Date.now(),
    logger,
  };
  const host: Host = {
    ...cards,
    cards: new ServedCards(cards),
    handler,
    agents,
    limits: limitsOf(config),
    cors,
    httpOriginOf: (authority) => originBeside(authority, httpPort(), config.publicUrl),
    ...(authentication === undefined ? {} : { adminRoutes: adminRoutesOf(connections) }),
    notificationKeys: new PublishedKeys(notificationKeys),
    ...callerGates(config, connections, places),
    ...(audit === undefined ? {} : { audit }),
    isTrusted,
    ...certificateHeader,
  };
  const bindings = new HttpBindings(host);
  const exchange = new Exchange(bindings, {
    cors,
    keepAlive: new KeepAlive(),
    stallMs: STALL_MS,
    isTrusted,
    ...certificateHeader,
    ...(config.publicUrl === undefined ? {} : { publicUrl: config.publicUrl }),
  });
  return { readers, places, host, bindings, exchange, health: new HealthChecks(connections.checks(), () => registry.list()) };
}

/** What keeps one caller from taking everything, as far as it is configured. */
function callerGates(
  { principalRateLimit: principal, tenantRateLimit: tenant, authFailureLimit, principalStreamLimit, tenantStreamLimit }: Config,
  { rateLimiter }: Connections,
  places: ReplicaPlaces | undefined,
): Pick<Host, 'callerLimits' | 'failedCredentials' | 'streamLimits'> {
  const streams = { principal: principalStreamLimit, tenant: tenantStreamLimit };
  const limited = principal !== undefined || tenant !== undefined;
  return {
    ...(limited ? { callerLimits: new CallerLimits(rateLimiter, { principal, tenant }) } : {}),
    ...(places === undefined ? {} : { streamLimits: new StreamLimits(places, streams) }),
    ...(authFailureLimit === undefined ? {} : { failedCredentials: new FailedCredentials(rateLimiter, authFailureLimit) }),
  };
}

/** Unless it is said otherwise, who does what is told where it is known who it is. */
function auditTrailOf({ audit, auth }: Config, connections: Connections, logger: Logger): AuditTrail | undefined {
  const level = audit ?? (auth === undefined ? 'off' : 'changes');
  return level === 'off' ? undefined : new AuditTrail(connections.audit, logger, { reads: level === 'all' });
}

/** What administrators can ask for. */
const adminRoutesOf = ({ audit, erasure, pushLedger }: Connections): readonly AdminRoute[] => [
  auditRoute(audit),
  eraseRoute(erasure),
  ...pushRoutes(pushLedger),
];

export const limitsOf = ({ maxParts, maxMetadataDepth, maxIdLength }: Config): Limits => ({
  ...DEFAULT_LIMITS,
  maxParts,
  maxMetadataDepth,
  maxIdLength,
});

/** The controllers over the parts. `/livez` and `/readyz` come first: the other controller takes every path. */
@Module({})
export class ApiModule {
  static with({ exchange, health }: Pick<ApiParts, 'exchange' | 'health'>): DynamicModule {
    return {
      module: ApiModule,
      controllers: [HealthController, A2AController],
      providers: [
        { provide: Exchange, useFactory: () => exchange },
        { provide: HealthChecks, useFactory: () => health },
      ],
    };
  }
}
