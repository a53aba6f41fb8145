import { randomBytes } from 'node:crypto';
import type { Connection } from './connection.js';
import { GrpcConnection } from './grpc-connection.js';
import { grpcFrame } from './grpc-frame.js';
import { HttpConnection } from './http-connection.js';
import type { RawResponse } from './response-parser.js';

export type RequestPlan =
  | { readonly kind: 'send'; readonly agentId: string }
  /** The same over gRPC. */
  | { readonly kind: 'grpc-send'; readonly agentId: string }
  | { readonly kind: 'stream'; readonly agentId: string; readonly frames: number }
  | { readonly kind: 'get'; readonly agentId: string; readonly taskIds: readonly string[] }
  | { readonly kind: 'list'; readonly agentId: string; readonly params: object; readonly tasks: number };

export interface Requests {
  /** So many lanes, each with one request on the wire at a time. */
  connect(port: number, lanes: number): Connection[];
  /** The bytes of the n-th request, the same for every server. */
  next(n: number): Buffer;
  /** What is wrong with an answer; undefined when it is the expected one. */
  faultOf(response: RawResponse): string | undefined;
}

/** One JSON-RPC 1.0 request as its bytes on the wire. */
export function rpcRequest(agentId: string, method: string, params: object): Buffer {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
  const head = [
    `POST /agents/${agentId} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    'Accept: application/json, text/event-stream',
    'A2A-Version: 1.0',
    `Content-Length: ${body.length}`,
  ];
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]);
}

const TEXT = 'What is the tide at noon? A question of about the length that people ask.';
const COMPLETED = '"TASK_STATE_COMPLETED"';
/** What completes the task. */
const ECHO = `echo: ${TEXT}`;

export function requestsOf(plan: RequestPlan): Requests {
  switch (plan.kind) {
    case 'send':
      return { connect, next: messages(rpcMessage(plan, 'SendMessage')), faultOf: expecting((text) => text.includes(COMPLETED)) };
    case 'grpc-send':
      return {
        connect: connectGrpc,
        next: messages((message) => grpcFrame('SendMessage', { tenant: plan.agentId, message })),
        faultOf: expecting((text) => text.includes(ECHO)),
      };
    case 'stream':
      return {
        connect,
        next: messages(rpcMessage(plan, 'SendStreamingMessage')),
        faultOf: expecting((text) => text.includes(COMPLETED) && `\n${text}`.split('\ndata:').length > plan.frames),
      };
    case 'get': {
      const requests = plan.taskIds.map((id) => rpcRequest(plan.agentId, 'GetTask', { id }));
      return {
        connect,
        next: (n) => requests[n % requests.length] as Buffer,
        faultOf: expecting((text) => text.includes(COMPLETED)),
      };
    }
    case 'list': {
      const request = rpcRequest(plan.agentId, 'ListTasks', plan.params);
      const faultOf = expecting((text) => text.split('"contextId"').length > plan.tasks);
      return { connect, next: () => request, faultOf: onceOfEachLength(faultOf) };
    }
  }
}

const connect = (port: number, lanes: number): Connection[] => Array.from({ length: lanes }, () => new HttpConnection(port));

/** One connection for all of them, as a gRPC client has one. */
function connectGrpc(port: number, lanes: number): Connection[] {
  const connection = new GrpcConnection(port, 'SendMessage');
  return Array.from({ length: lanes }, () => connection);
}

/** The page is the same all the time: to count its tasks each time would take a tenth of the time that is measured. */
function onceOfEachLength(faultOf: Requests['faultOf']): Requests['faultOf'] {
  let good = -1;
  return (response) => {
    if (response.status === 200 && response.body.length === good) return undefined;
    const fault = faultOf(response);
    if (fault === undefined) good = response.body.length;
    return fault;
  };
}

const rpcMessage =
  ({ agentId }: { readonly agentId: string }, method: string) =>
  (message: object): Buffer =>
    rpcRequest(agentId, method, { message });

/** Message ids of one length: the rest of the request stays the same bytes. */
function messages(requestWith: (message: object) => Buffer): (n: number) => Buffer {
  const run = randomBytes(4).toString('hex');
  const placeholder = `${run}-00000000`;
  const template = requestWith({ messageId: placeholder, role: 'ROLE_USER', parts: [{ text: TEXT }] });
  const at = template.indexOf(placeholder) + run.length + 1;
  return (n) => {
    const request = Buffer.from(template);
    request.write(String(n).padStart(8, '0'), at, 'latin1');
    return request;
  };
}

const expecting =
  (isExpected: (body: string) => boolean): Requests['faultOf'] =>
  ({ status, body }) => {
    const text = body.toString('latin1');
    return status === 200 && isExpected(text) ? undefined : `${status} ${text.slice(0, 300)}`;
  };
