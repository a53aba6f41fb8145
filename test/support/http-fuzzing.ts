import { Agent, request as httpRequest } from 'node:http';
import { ERROR_TABLE, type ErrorName } from '#protocol';
import { HANGS_AFTER_MS } from './fuzzing.js';

export interface SentRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export interface RawHttpAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Sends requests as they are over connections that are kept, and takes each answer to its end. */
export class HttpSender {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 40 });

  constructor(private readonly url: string) {}

  send({ method, path, headers, body }: SentRequest): Promise<RawHttpAnswer> {
    const { hostname, port } = new URL(this.url);
    return new Promise((resolve, reject) => {
      const options = { agent: this.#agent, hostname, port, method, path, headers, signal: AbortSignal.timeout(HANGS_AFTER_MS) };
      const request = httpRequest(options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
        response.on('end', () => {
          const { statusCode = 0, headers: received } = response;
          resolve({
            status: statusCode,
            contentType: received['content-type'] ?? '',
            body: Buffer.concat(chunks).toString(),
          });
        });
      });
      request.on('error', reject);
      request.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

const rowOf = (reason: unknown) =>
  (Object.keys(ERROR_TABLE) as ErrorName[]).map((name) => ERROR_TABLE[name]).find((row) => row.reason === reason);

/** What both HTTP bindings owe any request: an answer in JSON, or a stream of JSON; never a fault of the host's own. */
export function expectWellAnswered({ method }: SentRequest, { status, contentType, body }: RawHttpAnswer): unknown {
  if (status >= 500) throw new Error(`was answered with ${status}: ${body}`);
  if (status === 204 || method === 'HEAD') {
    if (body !== '') throw new Error(`has a body beside ${status}: ${body}`);
    return undefined;
  }
  if (contentType === 'text/event-stream') return framesOf(body);
  if (!/^application\/(a2a\+)?json$/.test(contentType)) throw new Error(`was answered with the content type ${contentType}`);
  return JSON.parse(body);
}

function framesOf(body: string): unknown[] {
  const blocks = body.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'));
  if (blocks.length === 0) throw new Error('was answered with an empty stream');
  return blocks.map((block) => {
    const match = /^(?:id: \d+\n)?(?:event: error\n)?data: ([^\n]*)$/.exec(block);
    if (!match) throw new Error(`has a frame that is none: ${block}`);
    return JSON.parse(match[1] as string);
  });
}

/** An answer of JSON-RPC, which is one of its results or one of the table's errors. */
export function expectRpcAnswer(answer: unknown): void {
  if (Array.isArray(answer)) return answer.forEach(expectRpcAnswer);
  const { jsonrpc, id, result, error } = answer as Record<string, { code: number; data: { reason: string }[] } | undefined>;
  if ((jsonrpc as unknown) !== '2.0' || id === undefined) throw new Error(`is no answer of JSON-RPC: ${JSON.stringify(answer)}`);
  if ((result === undefined) === (error === undefined))
    throw new Error(`has result and error, or neither: ${JSON.stringify(answer)}`);
  if (error && rowOf(error.data[0]?.reason)?.code !== error.code)
    throw new Error(`is no error of ours: ${JSON.stringify(error)}`);
}

/** An answer of HTTP+JSON, whose errors are those of the table under its status. */
export function expectRestAnswer(status: number, answer: unknown): void {
  if (status < 400) return;
  const { error } = answer as { error?: { code: number; details: { reason: string }[] } };
  if (error?.code !== status || rowOf(error.details[0]?.reason)?.http !== status) {
    throw new Error(`is no error of ours: ${JSON.stringify(answer)}`);
  }
}
