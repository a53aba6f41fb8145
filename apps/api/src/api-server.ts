import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpBindings } from '#transport';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createAdapter, type AdapterOptions } from './adapter.js';
import { ApiModule } from './api.module.js';
import type { Exchange } from './exchange.js';
import type { HealthChecks } from './health-checks.js';

export interface ApiServerParts {
  readonly bindings: HttpBindings;
  readonly exchange: Exchange;
  readonly health: HealthChecks;
}

/** The HTTP server of an API process. */
export class ApiServer {
  private constructor(
    private readonly app: NestFastifyApplication,
    private readonly parts: ApiServerParts,
  ) {}

  static async create(options: AdapterOptions, parts: ApiServerParts): Promise<ApiServer> {
    const adapter = createAdapter(options, parts.bindings, parts.exchange);
    const app = await NestFactory.create<NestFastifyApplication>(ApiModule.with(parts), adapter, {
      logger: false,
      abortOnError: false,
      bodyParser: false,
    });
    return new ApiServer(app, parts);
  }

  /** Resolves with the port. Rejects with Node's error, whose `syscall` is `listen`, when the address cannot be had. */
  async listen(port: number, host: string): Promise<number> {
    try {
      await this.app.listen(port, host);
    } catch (error) {
      // A name that cannot be looked up fails as any look-up does, a database's too: what it was for is known here alone.
      const isLookUp = (error as NodeJS.ErrnoException).syscall === 'getaddrinfo';
      throw isLookUp ? Object.assign(error as Error, { syscall: 'listen', address: host, port }) : error;
    }
    return (this.httpServer.address() as AddressInfo).port;
  }

  get httpServer(): Server {
    return this.app.getHttpServer() as Server;
  }

  /** No new connection and no new request from here on; resolves when those under way are answered, or after `drainMs`. */
  async close(drainMs: number): Promise<void> {
    this.parts.health.close();
    this.parts.bindings.close();
    const server = this.httpServer;
    const timer = setTimeout(() => server.closeAllConnections(), drainMs);
    // Connections that are idle now are closed by `close`; those that become idle while we wait must not hold it up.
    const sweep = setInterval(() => server.closeIdleConnections(), 50);
    try {
      await this.app.close();
    } finally {
      clearTimeout(timer);
      clearInterval(sweep);
    }
  }
}
