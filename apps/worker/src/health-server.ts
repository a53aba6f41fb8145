import type { Logger } from '#core';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:http';

/** `undefined` is well; a text says what is wrong. */
export interface HealthChecks {
  live(): string | undefined;
  ready(): string | undefined;
}

/** `/livez` (restart me if it fails) and `/readyz` for an orchestrator. JSON on every path. */
export class HealthServer {
  #server: Server | undefined;

  constructor(
    private readonly checks: HealthChecks,
    private readonly host: string,
    private readonly port: number,
    private readonly logger: Logger,
  ) {}

  /** Resolves with the port; rejects when it cannot be had. */
  async start(): Promise<number> {
    const server = createServer((request, response) => {
      const [status, body] = this.#answer(request.url ?? '/');
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
    server.listen(this.port, this.host);
    await once(server, 'listening');
    // A connection that cannot be accepted (no file descriptor is left, say) is no reason to end the turns of the process.
    server.on('error', (err) => this.logger.warn('The health port has trouble', { err }));
    this.#server = server;
    return (server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    if (!server) return;
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }

  #answer(url: string): [number, { status: string; reason?: string }] {
    const path = url.split('?', 1)[0];
    const check = path === '/livez' ? this.checks.live() : path === '/readyz' ? this.checks.ready() : null;
    if (check === null) return [404, { status: 'not found' }];
    return check === undefined ? [200, { status: 'ok' }] : [503, { status: 'failing', reason: check }];
  }
}
