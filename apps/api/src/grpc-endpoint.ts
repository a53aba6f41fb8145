import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { protoDirectory, StartError, type Config } from '#platform';
import { GrpcServer, loadDescriptors, type GrpcServerOptions, type Origin } from '#transport';
import { STALL_MS, type ApiParts } from './api.module.js';

type GrpcConfig = Pick<
  Config,
  'host' | 'grpcPort' | 'publicUrl' | 'publicGrpcAddress' | 'grpcCertificateFile' | 'grpcKeyFile' | 'bodyLimit'
>;

/** How often the health service looks whether the process is ready. */
const READINESS_MS = 5000;

/** gRPC as an API process serves it: where it listens, and where clients find it. */
export class GrpcEndpoint {
  private constructor(
    private readonly server: GrpcServer,
    readonly port: number,
    private readonly config: GrpcConfig,
  ) {}

  /**
   * Resolves when it is served; undefined when it is switched off. Rejects with StartError for TLS files that cannot be used,
   * and like Node, with `syscall` `listen`, when the address cannot be had.
   */
  static async open(config: GrpcConfig, { host, health }: Pick<ApiParts, 'host' | 'health'>): Promise<GrpcEndpoint | undefined> {
    const { grpcPort } = config;
    if (grpcPort === undefined) return undefined;
    const server = new GrpcServer(host, loadDescriptors(protoDirectory), {
      bodyLimit: config.bodyLimit,
      stallMs: STALL_MS,
      readinessMs: READINESS_MS,
      isReady: () => health.isReady(),
      ...(await tlsOf(config)),
    });
    try {
      return new GrpcEndpoint(server, await server.listen(grpcPort, config.host), config);
    } catch (error) {
      await server.close(0);
      throw listenError(error, config.host, grpcPort);
    }
  }

  /**
   * Host and port for a client that reaches this host so. Where a proxy or a configured URL stands before the HTTP server,
   * nobody can tell where gRPC is unless it is configured too.
   */
  addressFor({ url, forwarded }: Origin): string | undefined {
    const { publicGrpcAddress, publicUrl } = this.config;
    if (publicGrpcAddress !== undefined) return publicGrpcAddress;
    return publicUrl !== undefined || forwarded ? undefined : `${new URL(url).hostname}:${this.port}`;
  }

  /** No new call from here on; resolves when those under way are answered, or after `drainMs`. */
  close(drainMs: number): Promise<void> {
    return this.server.close(drainMs);
  }
}

async function tlsOf(config: GrpcConfig): Promise<Pick<GrpcServerOptions, 'tls'>> {
  const { grpcCertificateFile, grpcKeyFile } = config;
  if (grpcCertificateFile === undefined || grpcKeyFile === undefined) return {};
  const certificate = await contentOf('GRPC_TLS_CERT_FILE', grpcCertificateFile);
  const key = await contentOf('GRPC_TLS_KEY_FILE', grpcKeyFile);
  try {
    createSecureContext({ cert: certificate, key });
  } catch (error) {
    const reason = (error as Error).message;
    throw new StartError(`GRPC_TLS_CERT_FILE and GRPC_TLS_KEY_FILE hold no certificate and its key (${reason})`);
  }
  return { tls: { certificate, key } };
}

const contentOf = (variable: string, file: string): Promise<Buffer> =>
  readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new StartError(`${variable} names ${file}, which cannot be read (${error.code})`);
  });

/** grpc-js has Node's error only in its text. */
function listenError(error: unknown, address: string, port: number): Error {
  const { message } = error as Error;
  const code = /\bE[A-Z]{4,}\b/.exec(message)?.[0] ?? (/resol/i.test(message) ? 'ENOTFOUND' : undefined);
  return Object.assign(error as Error, { code, syscall: 'listen', address, port, setting: 'GRPC_PORT' });
}
