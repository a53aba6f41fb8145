import {
  AgentMemoryStore,
  AgentRegistry,
  DatabaseClock,
  DirectClaims,
  EventBus,
  EventPublisher,
  type HostedAgent,
  LeaseKeeper,
  type Logger,
  Reconciler,
  ReconcileStore,
  TaskRunner,
  TurnStore,
  WorkQueue,
} from '#core';
import { fetchFollowing, GuardedFetch, OutboundPolicy } from '#outbound';
import type { Config } from '#platform';
import { type DynamicModule, Module } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { Connections } from './connections.js';
import { Presence } from './presence.js';
import { PushDelivery } from './push-delivery.js';
import { Worker } from './worker.js';

const DAY_MS = 86_400_000;

/** The composition root of a worker: the one place that knows which adapter stands behind a port. */
@Module({})
export class WorkerModule {
  static with(config: Config, agents: readonly HostedAgent[], logger: Logger): DynamicModule {
    const workerId = `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`;
    const { leaseMs, heartbeatMs, sweepMs, cancelGraceMs, outageMs, turnTimeoutMs, silenceTimeoutMs, drainMs, stopMs } = config;
    const { pushMaxAgeMs } = config;
    const retentionMs = config.retentionDays === undefined ? undefined : config.retentionDays * DAY_MS;
    const pushLedgerMs = config.pushLedgerDays * DAY_MS;
    const auditMs = config.auditDays * DAY_MS;
    const reconciles = config.workerRoles.includes('reconcile');
    const health =
      config.workerHealthPort === undefined ? undefined : { host: config.workerHealthHost, port: config.workerHealthPort };

    return {
      module: WorkerModule,
      providers: [
        { provide: Connections, useFactory: () => new Connections(config, logger) },
        { provide: TurnStore, useFactory: ({ turns }: Connections) => turns, inject: [Connections] },
        { provide: ReconcileStore, useFactory: ({ reconcile }: Connections) => reconcile, inject: [Connections] },
        // What agents reach by `context.fetch`.
        { provide: GuardedFetch, useFactory: () => new GuardedFetch(new OutboundPolicy(config.outboundAllow)) },
        { provide: AgentMemoryStore, useFactory: ({ memory }: Connections) => memory, inject: [Connections] },
        { provide: AgentRegistry, useFactory: ({ registry }: Connections) => registry, inject: [Connections] },
        { provide: WorkQueue, useFactory: ({ queue }: Connections) => queue, inject: [Connections] },
        { provide: EventBus, useFactory: ({ bus }: Connections) => bus, inject: [Connections] },
        { provide: DatabaseClock, useFactory: (turns: TurnStore) => new DatabaseClock(turns, logger), inject: [TurnStore] },
        {
          provide: PushDelivery,
          useFactory: (connections: Connections, bus: EventBus) => PushDelivery.of(config, connections, bus, workerId, logger),
          inject: [Connections, EventBus],
        },
        {
          provide: EventPublisher,
          useFactory: (bus: EventBus, push?: PushDelivery) => new EventPublisher(bus, logger, push),
          inject: [EventBus, PushDelivery],
        },
        {
          provide: LeaseKeeper,
          useFactory: (turns: TurnStore, bus: EventBus) =>
            new LeaseKeeper(turns, bus, logger, { workerId, leaseMs, heartbeatMs, outageMs }),
          inject: [TurnStore, EventBus],
        },
        {
          provide: TaskRunner,
          useFactory: (
            store: TurnStore,
            queue: WorkQueue,
            publisher: EventPublisher,
            leases: LeaseKeeper,
            clock: DatabaseClock,
            memory: AgentMemoryStore,
            guarded: GuardedFetch,
          ) =>
            new TaskRunner(
              agents,
              {
                ...{ store, queue, publisher, leases, clock, memory, logger },
                fetch: (url, options) => fetchFollowing(guarded, url, options),
              },
              { workerId, concurrency: config.workerConcurrency, leaseMs, turnTimeoutMs, silenceTimeoutMs, cancelGraceMs },
            ),
          inject: [TurnStore, WorkQueue, EventPublisher, LeaseKeeper, DatabaseClock, AgentMemoryStore, GuardedFetch],
        },
        {
          provide: DirectClaims,
          useFactory: (store: ReconcileStore, queue: WorkQueue, runner: TaskRunner) =>
            new DirectClaims(store, queue, runner, logger),
          inject: [ReconcileStore, WorkQueue, TaskRunner],
        },
        {
          provide: Reconciler,
          useFactory: (
            store: ReconcileStore,
            queue: WorkQueue,
            publisher: EventPublisher,
            clock: DatabaseClock,
            runner: TaskRunner,
          ) =>
            new Reconciler(
              { store, queue, publisher, clock, runner, logger },
              { sweepMs, heartbeatMs, cancelGraceMs, retentionMs, pushLedgerMs, pushMaxAgeMs, auditMs },
            ),
          inject: [ReconcileStore, WorkQueue, EventPublisher, DatabaseClock, TaskRunner],
        },
        {
          provide: Presence,
          useFactory: (registry: AgentRegistry) => new Presence(registry, workerId, agents, heartbeatMs, logger),
          inject: [AgentRegistry],
        },
        {
          provide: Worker,
          useFactory: (
            runner: TaskRunner,
            leases: LeaseKeeper,
            clock: DatabaseClock,
            publisher: EventPublisher,
            queue: WorkQueue,
            presence: Presence,
            directClaims: DirectClaims,
            reconciler: Reconciler,
            push?: PushDelivery,
          ) =>
            new Worker(
              {
                agents,
                runner,
                leases,
                clock,
                publisher,
                queue,
                presence,
                directClaims,
                logger,
                ...(reconciles ? { reconciler } : {}),
                ...(push ? { push } : {}),
              },
              { drainMs, stopMs, heartbeatMs, sweepMs, ...(health ? { health } : {}) },
            ),
          inject: [
            ...[TaskRunner, LeaseKeeper, DatabaseClock, EventPublisher, WorkQueue, Presence, DirectClaims, Reconciler],
            PushDelivery,
          ],
        },
      ],
    };
  }
}
