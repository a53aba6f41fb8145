import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What stands in front of several replicas: an address that is known before they are, each request to the next of them. */
export class Front {
  targets: readonly string[] = [];
  /** Answers of its own, by path. */
  readonly answers = new Map<string, string>();
  #requests = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Front> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const front = new Front(server);
    server.on('request', (request: IncomingMessage, response: ServerResponse) => void front.#answer(request, response));
    return front;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** GET alone, which is all that documents need. */
  async #answer({ url = '/', headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const own = this.answers.get(url);
    if (own !== undefined) return void response.writeHead(200, { 'content-type': 'application/json' }).end(own);
    const target = this.targets[this.#requests++ % this.targets.length];
    const passedOn = Object.entries(headers).filter(([name]) => ['a2a-version', 'if-none-match'].includes(name));
    try {
      const answer = await fetch(`${target}${url}`, { headers: Object.fromEntries(passedOn) as Record<string, string> });
      const body = Buffer.from(await answer.arrayBuffer());
      const kept = ['content-type', 'etag', 'cache-control', 'vary'].flatMap((name) => [
        [name, answer.headers.get(name)] as const,
      ]);
      response.writeHead(answer.status, Object.fromEntries(kept.filter(([, value]) => value !== null)) as Record<string, string>);
      response.end(body);
    } catch {
      response.writeHead(502).end();
    }
  }
}
