import 'reflect-metadata';
import type { ReplicaPlaces, TaskReaders } from '#core';
import { createLogger, loadConfig, requireSafeAddress, stopSignal, type Config } from '#platform';
import type { Origin } from '#transport';
import { ApiServer } from './api-server.js';
import { assembleApi } from './api.module.js';
import { loadCardSigner } from './card-signing.js';
import { Connections } from './connections.js';
import { GrpcEndpoint } from './grpc-endpoint.js';
import { logUnhandledRejections } from './unhandled-rejections.js';

export interface RunningApi {
  readonly port: number;
  /** Undefined when gRPC is not served. */
  readonly grpcPort: number | undefined;
  /** Ends streams cleanly and waiting sends with 503 or UNAVAILABLE, then closes everything; resolves within the drain time and a little. */
  stop(): Promise<void>;
}

/**
 * Runs an API process until SIGTERM or SIGINT, drains it, and ends the process; the same signal again ends it at once. Rejects,
 * with nothing left running, when it cannot start: ConfigError and StartError have messages for whoever started it.
 */
export async function runApi(): Promise<void> {
  const stopping = stopSignal();
  const api = await startApi(loadConfig());
  await stopping;
  await api.stop();
  process.exit(0);
}

/** Starts the API in this process. Rejects with nothing left running. */
export async function startApi(config: Config): Promise<RunningApi> {
  requireSafeAddress(config);
  const logger = createLogger('api', config);
  const stopLogging = logUnhandledRejections(logger);
  const connections = new Connections(config, logger);
  let readers: TaskReaders | undefined;
  let places: ReplicaPlaces | undefined;
  let grpc: GrpcEndpoint | undefined;
  const close = async (): Promise<void> => {
    await grpc?.close(0);
    await readers?.close();
    await places?.close();
    await connections.close();
    stopLogging();
  };
  try {
    const cardSigner = await loadCardSigner(config, logger);
    const pageTokenKey = await connections.pageTokenKey();
    const grpcAddressOf = (origin: Origin): string | undefined => grpc?.addressFor(origin);
    let httpPort = config.port;
    const settings = { pageTokenKey, cardSigner, grpcAddressOf, httpPort: () => httpPort };
    const parts = assembleApi(config, connections, settings, logger);
    ({ readers, places } = parts);
    await readers.start();
    const server = await ApiServer.create({ bodyLimit: config.bodyLimit }, parts);
    grpc = await GrpcEndpoint.open(config, parts);
    const port = await server.listen(config.port, config.host);
    httpPort = port;
    logger.info(`The API listens on http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`, { port });
    if (config.auth === undefined) logger.info('Nobody is asked for a credential: CHORUS_AUTH is not set');
    if (grpc) logger.info(`gRPC listens on port ${grpc.port}`, { grpcPort: grpc.port });
    const stop = async (): Promise<void> => {
      logger.info('The API is shutting down');
      const closed = Promise.all([server.close(config.drainMs), grpc?.close(config.drainMs)]);
      // Every waiter and stream hangs on a reader: without them the requests under way come to their end.
      await parts.readers.close();
      await closed;
      await parts.host.audit?.close();
      await close();
    };
    return { port, grpcPort: grpc?.port, stop };
  } catch (error) {
    await close();
    throw error;
  }
}
