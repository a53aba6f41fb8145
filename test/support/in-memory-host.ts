import {
  EventPublisher,
  SILENT,
  TaskRunner,
  type AgentExecutor,
  type HostedAgent,
  type Logger,
  type RequestHandler,
} from '#core';
import { loadConfig, protoDirectory } from '#platform';
import {
  InMemoryAgentMemoryStore,
  InMemoryAgentRegistry,
  InMemoryBusNetwork,
  InMemoryDatabase,
  InMemoryEventBus,
  InMemoryNotificationKeyStore,
  InMemoryPushConfigStore,
  InMemoryQueueServer,
  InMemoryTaskStore,
  InMemoryTurnStore,
  InMemoryWorkQueue,
} from '#testing';
import { GrpcServer, loadDescriptors } from '#transport';
import { assembleApi } from '../../apps/api/src/api.module.js';
import { ApiServer } from '../../apps/api/src/api-server.js';
import type { Connections } from '../../apps/api/src/connections.js';
import type { Endpoints } from './three-bindings.js';

export interface InMemoryHostOptions {
  /** What the agent does. It is the default one, and its id is `AGENT`. */
  readonly execute: AgentExecutor['execute'];
  readonly card?: Partial<HostedAgent['card']>;
  readonly logger?: Logger;
  /** Configuration that is not the default one. */
  readonly env?: Readonly<Record<string, string>>;
  /** Stands before the operations, and may answer in their place. */
  readonly before?: (handler: RequestHandler) => RequestHandler;
}

export const AGENT = 'agent';

/** An API process and a worker in this process, as they are but for what they stand on: stores, queue and bus are in memory. */
export class InMemoryHost implements Endpoints {
  private constructor(
    readonly url: string,
    readonly grpcAddress: string,
    readonly database: InMemoryDatabase,
    readonly close: () => Promise<void>,
  ) {}

  static async start(options: InMemoryHostOptions): Promise<InMemoryHost> {
    const { execute, card, logger = SILENT, env, before } = options;
    const config = loadConfig({ DATABASE_URL: 'postgres://localhost/none', A2A_V03: 'off', ...env });
    const database = new InMemoryDatabase();
    const bus = new InMemoryEventBus(new InMemoryBusNetwork());
    const queue = new InMemoryWorkQueue(new InMemoryQueueServer());
    const registry = new InMemoryAgentRegistry(database, { heartbeatMs: 2 ** 30 });
    const agent = hosted(execute, card);
    await registry.announce('w', [agent]);
    const runner = new TaskRunner(
      [agent],
      {
        store: new InMemoryTurnStore(database),
        queue,
        publisher: new EventPublisher(bus, logger),
        leases: { hold: () => undefined, release: () => undefined },
        clock: { now: Date.now },
        memory: new InMemoryAgentMemoryStore(database),
        fetch: () => Promise.reject(new Error('There is no network here')),
        logger,
      },
      { workerId: 'w', concurrency: 100, leaseMs: 600_000, turnTimeoutMs: 60_000, silenceTimeoutMs: 60_000, cancelGraceMs: 1000 },
    );
    await queue.consume(AGENT, 100, (hint) => runner.run(hint));

    const notificationKeys = new InMemoryNotificationKeyStore(database);
    const connections = {
      ...{ store: new InMemoryTaskStore(database), pushConfigs: new InMemoryPushConfigStore(database) },
      ...{ registry, queue, bus, notificationKeys, checks: () => ({}) },
    };
    let port = 0;
    const settings = { pageTokenKey: Buffer.alloc(32), grpcAddressOf: () => undefined, httpPort: () => port };
    const parts = assembleApi(config, connections as unknown as Connections, settings, logger);
    await parts.readers.start();
    const { bindings, exchange, health } = parts;
    const handler = before?.(parts.host.handler) ?? parts.host.handler;
    // The bindings have taken this host: what stands before the operations has to stand in it.
    Object.assign(parts.host, { handler });
    const http = await ApiServer.create({ bodyLimit: config.bodyLimit }, { bindings, exchange, health });
    const grpc = new GrpcServer(parts.host, loadDescriptors(protoDirectory), {
      bodyLimit: config.bodyLimit,
      stallMs: 30_000,
      readinessMs: 60_000,
      isReady: async () => true,
    });
    port = await http.listen(0, '127.0.0.1');
    const grpcPort = await grpc.listen(0, '127.0.0.1');
    return new InMemoryHost(`http://127.0.0.1:${port}`, `127.0.0.1:${grpcPort}`, database, async () => {
      const closed = Promise.all([http.close(1000), grpc.close(1000)]);
      await parts.readers.close();
      await closed;
      await queue.close();
      await bus.close();
    });
  }

  /** Forgets all tasks but the newest `count` and `kept`: what reads them all must not become slow. */
  forget(count: number, kept: string): void {
    const { tasks } = this.database;
    for (const id of tasks.keys()) {
      if (tasks.size <= count) return;
      if (id !== kept) tasks.delete(id);
    }
  }
}

function hosted(execute: AgentExecutor['execute'], card: Partial<HostedAgent['card']> = {}): HostedAgent {
  return {
    id: AGENT,
    card: {
      name: 'Agent',
      description: 'For tests',
      version: '1.0.0',
      defaultInputModes: ['*/*'],
      defaultOutputModes: ['*/*'],
      skills: [{ id: 's', name: 'S', description: 'd', tags: ['t'] }],
      ...card,
    },
    policy: { recovery: 'retry', maxAttempts: 3 },
    answers: 'task',
    resumes: false,
    executor: { execute },
  };
}
