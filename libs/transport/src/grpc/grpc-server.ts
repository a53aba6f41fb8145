import { Server, ServerCredentials, logVerbosity, setLogVerbosity } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { HealthImplementation } from 'grpc-health-check';
import type { Host } from '../host.js';
import { A2A_SERVICE, type Descriptors } from './descriptors.js';
import { GrpcBinding, type GrpcBindingOptions } from './grpc-binding.js';
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

/** How long a connection is silent before its client is asked whether it is still there, and how long that may take. */
const KEEP_ALIVE_MS = 60_000;
const KEEP_ALIVE_ANSWER_MS = 20_000;

// Whatever it would print comes as an error too, and what a process prints is one log.
setLogVerbosity(logVerbosity.NONE);

/** The gRPC server of an API process: A2A, `grpc.health.v1` and server reflection. */
export class GrpcServer {
  readonly #server: Server;
  readonly #binding: GrpcBinding;
  readonly #health = new HealthImplementation({ '': 'NOT_SERVING', [A2A_SERVICE]: 'NOT_SERVING' });
  #timer: NodeJS.Timeout | undefined;
  #closing = false;

  constructor(
    host: Host,
    descriptors: Descriptors,
    private readonly options: GrpcServerOptions,
  ) {
    this.#binding = new GrpcBinding(host, WireCodec.all(descriptors), options);
    this.#server = new Server({
      'grpc.max_receive_message_length': options.bodyLimit,
      'grpc.max_send_message_length': -1,
      'grpc.keepalive_time_ms': KEEP_ALIVE_MS,
      'grpc.keepalive_timeout_ms': KEEP_ALIVE_ANSWER_MS,
    });
    this.#server.addService(this.#binding.definition, this.#binding.implementation);
    this.#health.addToServer(this.#server);
    reflectionOf(descriptors).addToServer(this.#server);
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
    await Promise.race([this.#binding.close(), late]);
    clearTimeout(timer);
    // What is left are calls that never end, as those that watch the health, and idle connections.
    this.#server.forceShutdown();
  }

  async #updateHealth(): Promise<void> {
    const ready = await this.options.isReady().catch(() => false);
    if (!this.#closing) this.#setHealth(ready);
  }

  #setHealth(serving: boolean): void {
    for (const service of ['', A2A_SERVICE]) this.#health.setStatus(service, serving ? 'SERVING' : 'NOT_SERVING');
  }
}

/** It lists the services that serve people; the files are those of the descriptors, complete as strict readers want them. */
const reflectionOf = ({ files }: Descriptors): ReflectionService =>
  new ReflectionService(
    { a2a: { format: 'files', type: {}, fileDescriptorProtos: files.map((file) => Buffer.from(file)) } } as never,
    {
      services: [A2A_SERVICE],
    },
  );
