import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import {
  SILENT,
  type AuditTrail,
  type CallContext,
  type Frame,
  type FrameStream,
  type Logger,
  type RequestHandler,
  type AnnouncedAgent,
} from '#core';
import { AgentNotFoundError, DEFAULT_LIMITS } from '#protocol';
import {
  Cors,
  HttpBindings,
  KeepAlive,
  ServedCards,
  type AdminRoute,
  type Authentication,
  type CardSigner,
  type NotificationKeySet,
} from '#transport';
import { ApiServer, type ApiServerParts } from './api-server.js';
import { Exchange } from './exchange.js';
import { HealthChecks } from './health-checks.js';
import type { Check } from './readiness.js';
import { trustedPeers } from './trusted-peers.js';

export const TASK = '{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_COMPLETED"}}';
export const PUSH_CONFIG = '{"taskId":"t1","id":"c1","url":"https://x.test/","authentication":{"scheme":"Bearer"}}';

export interface SeenCall {
  readonly operation: string;
  readonly ctx: CallContext;
  readonly request: unknown;
  readonly lastEventId?: number | undefined;
}

type Answers = { [K in keyof RequestHandler]?: RequestHandler[K] };

/** Answers every operation with a fixed text, unless told otherwise, and remembers what it was asked. */
export class FakeRequestHandler implements RequestHandler {
  readonly calls: SeenCall[] = [];
  answers: Answers = {};

  get last(): SeenCall {
    return this.calls.at(-1) as SeenCall;
  }

  sendMessage: RequestHandler['sendMessage'] = async (ctx, request, signal) => {
    this.calls.push({ operation: 'sendMessage', ctx, request });
    return this.answers.sendMessage?.(ctx, request, signal) ?? `{"task":${TASK}}`;
  };

  sendStreamingMessage: RequestHandler['sendStreamingMessage'] = async (ctx, request) => {
    this.calls.push({ operation: 'sendStreamingMessage', ctx, request });
    return this.answers.sendStreamingMessage?.(ctx, request) ?? framesOf([[frame(1)], [frame(2), frame(3)]]);
  };

  getTask: RequestHandler['getTask'] = async (ctx, request) => {
    this.calls.push({ operation: 'getTask', ctx, request });
    return this.answers.getTask?.(ctx, request) ?? TASK;
  };

  listTasks: RequestHandler['listTasks'] = async (ctx, request) => {
    this.calls.push({ operation: 'listTasks', ctx, request });
    return this.answers.listTasks?.(ctx, request) ?? '{"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0}';
  };

  cancelTask: RequestHandler['cancelTask'] = async (ctx, request) => {
    this.calls.push({ operation: 'cancelTask', ctx, request });
    return this.answers.cancelTask?.(ctx, request) ?? TASK;
  };

  createTaskPushNotificationConfig: RequestHandler['createTaskPushNotificationConfig'] = async (ctx, request) => {
    this.calls.push({ operation: 'createTaskPushNotificationConfig', ctx, request });
    return this.answers.createTaskPushNotificationConfig?.(ctx, request) ?? PUSH_CONFIG;
  };

  getTaskPushNotificationConfig: RequestHandler['getTaskPushNotificationConfig'] = async (ctx, request) => {
    this.calls.push({ operation: 'getTaskPushNotificationConfig', ctx, request });
    return this.answers.getTaskPushNotificationConfig?.(ctx, request) ?? PUSH_CONFIG;
  };

  listTaskPushNotificationConfigs: RequestHandler['listTaskPushNotificationConfigs'] = async (ctx, request) => {
    this.calls.push({ operation: 'listTaskPushNotificationConfigs', ctx, request });
    return this.answers.listTaskPushNotificationConfigs?.(ctx, request) ?? `{"configs":[${PUSH_CONFIG}],"nextPageToken":""}`;
  };

  deleteTaskPushNotificationConfig: RequestHandler['deleteTaskPushNotificationConfig'] = async (ctx, request) => {
    this.calls.push({ operation: 'deleteTaskPushNotificationConfig', ctx, request });
    return this.answers.deleteTaskPushNotificationConfig?.(ctx, request) ?? '{}';
  };

  subscribeToTask: RequestHandler['subscribeToTask'] = async (ctx, request, lastEventId) => {
    this.calls.push({ operation: 'subscribeToTask', ctx, request, lastEventId });
    return this.answers.subscribeToTask?.(ctx, request, lastEventId) ?? framesOf([[frame(1)]]);
  };
}

export const frame = (sequence: number, payload = `{"n":${sequence}}`): Frame => ({ sequence, payload });

/** A stream of these batches. */
export function framesOf(batches: readonly (readonly Frame[])[], onClose: () => void = () => undefined): FrameStream {
  return {
    close: onClose,
    async *[Symbol.asyncIterator]() {
      yield* batches;
    },
  };
}

export function agent(id: string, card: Partial<AnnouncedAgent['card']> = {}): AnnouncedAgent {
  return {
    id,
    card: {
      name: `Agent ${id}`,
      description: 'Echoes',
      version: '1.0.0',
      defaultInputModes: ['text/plain'],
      defaultOutputModes: ['text/plain'],
      skills: [{ id: 's', name: 'S', description: 'd', tags: ['t'] }],
      ...card,
    },
    policy: { recovery: 'retry', maxAttempts: 3 },
    answers: 'task',
    updatedAt: Date.UTC(2026, 0, 2, 3, 4, 5, 678),
    workers: 1,
  };
}

export interface FixtureOptions {
  readonly agents?: readonly AnnouncedAgent[];
  readonly bodyLimit?: number;
  readonly publicUrl?: string;
  readonly trustProxy?: readonly string[];
  readonly keepAliveMs?: number;
  readonly stallMs?: number;
  readonly corsOrigins?: readonly string[];
  readonly checks?: Readonly<Record<string, Check>>;
  readonly listAgents?: () => Promise<readonly AnnouncedAgent[]>;
  readonly logger?: Logger;
  readonly serveV03?: boolean;
  readonly authentication?: Authentication;
  readonly adminRoutes?: readonly AdminRoute[];
  readonly audit?: AuditTrail;
  readonly cardSigner?: CardSigner;
  readonly pushNotifications?: boolean;
  readonly notificationKeys?: NotificationKeySet;
  readonly cardsChangedAt?: number;
}

/** The API's HTTP server over a fake RequestHandler, on a port of its own. */
export class ApiFixture {
  private constructor(
    readonly server: ApiServer,
    readonly handler: FakeRequestHandler,
    readonly port: number,
    readonly parts: ApiServerParts,
  ) {}

  static async start(options: FixtureOptions = {}): Promise<ApiFixture> {
    const handler = new FakeRequestHandler();
    const agents = options.agents ?? [agent('echo')];
    const find = async (id: string): Promise<AnnouncedAgent> => {
      const found = agents.find((one) => one.id === id);
      if (!found) throw new AgentNotFoundError(id);
      return found;
    };
    const logger = options.logger ?? SILENT;
    const findDefault = (): Promise<AnnouncedAgent> => find((agents[0] as AnnouncedAgent).id);
    const cors = new Cors(options.corsOrigins ?? ['*']);
    const cards = {
      serveV03: options.serveV03 ?? true,
      pushNotifications: options.pushNotifications ?? false,
      ...(options.authentication === undefined ? {} : { authentication: options.authentication }),
      ...(options.cardSigner === undefined ? {} : { cardSigner: options.cardSigner }),
      ...(options.cardsChangedAt === undefined ? {} : { cardsChangedAt: options.cardsChangedAt }),
      logger,
    };
    const bindings = new HttpBindings({
      ...cards,
      cards: new ServedCards(cards),
      handler,
      agents: { find, findDefault, list: async () => agents },
      limits: DEFAULT_LIMITS,
      cors,
      ...(options.audit === undefined ? {} : { audit: options.audit }),
      ...(options.adminRoutes === undefined ? {} : { adminRoutes: options.adminRoutes }),
      ...(options.notificationKeys === undefined ? {} : { notificationKeys: options.notificationKeys }),
    });
    const exchange = new Exchange(bindings, {
      cors,
      keepAlive: new KeepAlive(options.keepAliveMs),
      stallMs: options.stallMs ?? 30_000,
      isTrusted: trustedPeers(options.trustProxy ?? []),
      ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
    });
    const health = new HealthChecks(options.checks ?? {}, options.listAgents ?? (async () => agents));
    const parts = { bindings, exchange, health };
    const server = await ApiServer.create({ bodyLimit: options.bodyLimit ?? 10_485_760 }, parts);
    return new ApiFixture(server, handler, await server.listen(0, '127.0.0.1'), parts);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Sends as `raw` is written: no path is normalised, no header added but Host. */
  send(method: string, path: string, headers: Record<string, string> = {}, body?: string | Buffer): Promise<RawAnswer> {
    return new Promise((resolve, reject) => {
      const request = httpRequest({ host: '127.0.0.1', port: this.port, method, path, headers, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          resolve(new RawAnswer(response.statusCode ?? 0, response.headers, Buffer.concat(chunks).toString()));
        });
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  rpc(body: unknown, { path = '/', headers = {} }: { path?: string; headers?: Record<string, string> } = {}): Promise<RawAnswer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return this.send('POST', path, { 'content-type': 'application/json', 'a2a-version': '1.0', ...headers }, text);
  }

  stop(): Promise<void> {
    return this.server.close(1000);
  }
}

export class RawAnswer {
  constructor(
    readonly status: number,
    readonly headers: IncomingHttpHeaders,
    readonly body: string,
  ) {}

  // The shape is what each test is about.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  get json(): any {
    return JSON.parse(this.body);
  }
}

export const message = (text = 'hi'): object => ({ messageId: 'm1', role: 'ROLE_USER', parts: [{ text }] });

export const sendMessage = (id: unknown = 1): object => ({
  jsonrpc: '2.0',
  id,
  method: 'SendMessage',
  params: { message: message() },
});
