import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OperationName } from '../bindings/operations.js';
import type { JsonObject } from '../wire/json.js';
import type { Faulty } from './faults.spec-support.js';
import type { FakeCall, FakeOperations, FakeStream } from './operations.spec-support.js';

/** What a binding sees of the agent. */
export interface FakeHost {
  readonly faulty: Faulty;
  readonly operations: FakeOperations;
  /** Throws FakeError for a version that is not served, and for want of credentials. */
  admit(operation: OperationName, call: FakeCall, query?: URLSearchParams): void;
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) parts.push(chunk);
  return Buffer.concat(parts).toString();
}

/** The signal of a call: aborted when the client leaves. */
export function leaving(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.on('close', () => controller.abort());
  return controller.signal;
}

/** Writes a stream as server-sent events; its first event is awaited before the head is written, so that an error may be one. */
export async function writeEvents(
  response: ServerResponse,
  stream: FakeStream,
  frame: (value: JsonObject) => string,
  faulty: Faulty,
): Promise<void> {
  const iterator = stream[Symbol.asyncIterator]();
  let next = await iterator.next();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (; !next.done && !response.destroyed; next = await iterator.next()) {
    const id = faulty('subscribe.resumes') ? '' : `id: ${next.value.sequence}\n`;
    response.write(`${id}data: ${frame(next.value.value)}\n\n`);
  }
  response.end();
}
