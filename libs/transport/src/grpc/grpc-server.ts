import { Server, ServerCredentials, logVerbosity, setLogVerbosity } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { HealthImplementation } from 'grpc-health-check';
import type { Host } from '../host.js';
import { GRPC_V03 } from '../v0_3/v03-grpc-dialect.js';
import type { Descriptors } from './descriptors.js';
import { GrpcBinding, type GrpcBindingOptions } from './grpc-binding.js';
import { GRPC_V1 } from './grpc-dialect.js';
import { SERVICE_V03, SERVICE_V1, type GrpcService } from './grpc-service.js';
import { WireCodec } from './wire-codec.js';

export interface GrpcServerOptions extends GrpcBindingOptions {
  /** Largest request, in bytes. */
  readonly bodyLimit: number;
  /** PEM texts; absent: no TLS. */
  readonly tls?: { readonly certificate: Buffer; readonly key: Buffer };
  /** Can this process answer requests now? */
  readonly isReady: () => Promise<boolean>;
  /** How often it is asked, for the health service, in milliseconds. */
  readonly readinessMs: number;
}

type ServingStatus = 'SERVING' | 'NOT_SERVING';

/** How long a connection is silent before its client is asked whether it is still there, and how long that may take. */
const KEEP_ALIVE_MS = 60_000;
const KEEP_ALIVE_ANSWER_MS = 20_000;

// Whatever it would print comes as an error too, and what a process prints is one log.
setLogVerbosity(logVerbosity.NONE);

/** The gRPC server of an API process: the services of A2A 1.0 and 0.3, `grpc.health.v1` and server reflection. */
export class GrpcServer {
  readonly #server: Server;
  readonly #bindings: readonly GrpcBinding[];
  readonly #services: readonly GrpcService[];
  readonly #health: HealthImplementation;
  #timer: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(
    host: Host,
    descriptors: Descriptors,
    private readonly options: GrpcServerOptions,
  ) {
    this.#services = host.serveV03 ? [SERVICE_V1, SERVICE_V03] : [SERVICE_V1];
    // That of 0.3 also when it is not served: whoever calls it is told which version is.
    this.#bindings = [
      new GrpcBinding(host, WireCodec.all(descriptors, SERVICE_V1), GRPC_V1, options),
      new GrpcBinding(host, WireCodec.all(descriptors, SERVICE_V03), GRPC_V03, options),
    ];
    this.#server = new Server({
      'grpc.max_receive_message_length': options.bodyLimit,
      'grpc.max_send_message_length': -1,
      // Statistics of each call that nobody asks for.
      'grpc.enable_channelz': 0,
      'grpc.keepalive_time_ms': KEEP_ALIVE_MS,
      'grpc.keepalive_timeout_ms': KEEP_ALIVE_ANSWER_MS,
    });
    for (const { definition, implementation } of this.#bindings) this.#server.addService(definition, implementation);
    this.#health = new HealthImplementation(this.#statuses('NOT_SERVING'));
    this.#health.addToServer(this.#server);
    reflectionOf(descriptors, this.#services).addToServer(this.#server);
  }

  /** Resolves with the port. Rejects when the address cannot be had, or certificate and key are none. */
  async listen(port: number, host: string): Promise<number> {
    const { tls, readinessMs } = this.options;
    const credentials = tls
      ? ServerCredentials.createSsl(null, [{ cert_chain: tls.certificate, private_key: tls.key }])
      : ServerCredentials.createInsecure();
    const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
    const bound = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync(address, credentials, (error, taken) => (error ? reject(error) : resolve(taken)));
    });
    await this.#updateHealth();
    this.#timer = setInterval(() => void this.#updateHealth(), readinessMs).unref();
    return bound;
  }

  /** No new connection and no new call from here on; resolves when those under way are answered, or after `drainMs`. */
  async close(drainMs: number): Promise<void> {
    this.#closing = true;
    clearInterval(this.#timer);
    this.#setHealth(false);
    this.#server.tryShutdown(() => undefined);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, drainMs)));
    await Promise.race([Promise.all(this.#bindings.map((binding) => binding.close())), late]);
    clearTimeout(timer);
    // What is left are calls that never end, as those that watch the health, and idle connections.
    this.#server.forceShutdown();
  }

  async #updateHealth(): Promise<void> {
    const ready = await this.options.isReady().catch(() => false);
    if (!this.#closing) this.#setHealth(ready);
  }

  #setHealth(serving: boolean): void {
    const statuses = this.#statuses(serving ? 'SERVING' : 'NOT_SERVING');
    for (const [service, status] of Object.entries(statuses)) this.#health.setStatus(service, status);
  }

  /** Of the server as a whole, and of each service. */
  #statuses(status: ServingStatus): Record<string, ServingStatus> {
    return Object.fromEntries(['', ...this.#services.map(({ name }) => name)].map((service) => [service, status]));
  }
}

/** It lists the services that serve people; the files are those of the descriptors, complete as strict readers want them. */
const reflectionOf = ({ files }: Descriptors, services: readonly GrpcService[]): ReflectionService =>
  new ReflectionService(
    { a2a: { format: 'files', type: {}, fileDescriptorProtos: files.map((file) => Buffer.from(file)) } } as never,
    {
      services: services.map(({ name }) => name),
    },
  );
