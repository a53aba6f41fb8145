import { OPERATIONS, type OperationName } from '#protocol';
import type { GrpcClient } from './grpc-client.js';
import { GrpcError } from './grpc-status.js';
import { sendParams } from './a2a-client.js';

export const BINDINGS = ['JSONRPC', 'HTTP+JSON', 'GRPC'] as const;
export type Binding = (typeof BINDINGS)[number];

/** All that a caller is told, but for the time: what two answers differ in, they differ in here. */
export interface Told {
  /** HTTP's status, or gRPC's. */
  readonly status: number;
  /** Headers and body, or message and details. */
  readonly text: string;
}

export const CONFIG_ID = 'config-1';
export const CONFIG = { url: 'https://receiver.example/hook' };
const followUp = (taskId: string) => sendParams('complete done', { taskId, messageId: `m-${taskId}` });

/** The request's message of each operation, about one task where it is about one. */
export const REQUESTS: Readonly<Record<OperationName, (taskId: string) => object>> = {
  sendMessage: followUp,
  sendStreamingMessage: followUp,
  getTask: (id) => ({ id }),
  listTasks: () => ({}),
  cancelTask: (id) => ({ id }),
  subscribeToTask: (id) => ({ id }),
  createTaskPushNotificationConfig: (taskId) => ({ taskId, ...CONFIG }),
  getTaskPushNotificationConfig: (taskId) => ({ taskId, id: CONFIG_ID }),
  listTaskPushNotificationConfigs: (taskId) => ({ taskId }),
  deleteTaskPushNotificationConfig: (taskId) => ({ taskId, id: CONFIG_ID }),
  getExtendedAgentCard: () => ({}),
};

const PATHS: Readonly<Record<OperationName, (taskId: string) => [method: string, path: string, body?: object]>> = {
  sendMessage: (taskId) => ['POST', '/message:send', followUp(taskId)],
  sendStreamingMessage: (taskId) => ['POST', '/message:stream', followUp(taskId)],
  getTask: (id) => ['GET', `/tasks/${id}`],
  listTasks: () => ['GET', '/tasks'],
  cancelTask: (id) => ['POST', `/tasks/${id}:cancel`, {}],
  subscribeToTask: (id) => ['POST', `/tasks/${id}:subscribe`, {}],
  createTaskPushNotificationConfig: (id) => ['POST', `/tasks/${id}/pushNotificationConfigs`, CONFIG],
  getTaskPushNotificationConfig: (id) => ['GET', `/tasks/${id}/pushNotificationConfigs/${CONFIG_ID}`],
  listTaskPushNotificationConfigs: (id) => ['GET', `/tasks/${id}/pushNotificationConfigs`],
  deleteTaskPushNotificationConfig: (id) => ['DELETE', `/tasks/${id}/pushNotificationConfigs/${CONFIG_ID}`],
  getExtendedAgentCard: () => ['GET', '/extendedAgentCard'],
};

/** One agent of a host under all its bindings. */
export interface EveryBinding {
  /** Of the agent. */
  readonly url: string;
  readonly grpc: GrpcClient;
}

/** Runs one operation with these headers, and tells what came of it; of a stream, its head and its first event. */
export async function ask(
  { url, grpc }: EveryBinding,
  binding: Binding,
  operation: OperationName,
  { taskId, headers }: { readonly taskId: string; readonly headers: Readonly<Record<string, string>> },
): Promise<Told> {
  const request = REQUESTS[operation](taskId);
  switch (binding) {
    case 'JSONRPC': {
      const body = { jsonrpc: '2.0', id: 1, method: OPERATIONS[operation].method, params: request };
      return told(url, 'POST', headers, body);
    }
    case 'HTTP+JSON': {
      const [method, path, body] = PATHS[operation](taskId);
      return told(url + path, method, headers, body);
    }
    case 'GRPC':
      return toldByGrpc(grpc, OPERATIONS[operation].method, request, headers);
  }
}

async function told(url: string, method: string, headers: Readonly<Record<string, string>>, body?: object): Promise<Told> {
  const response = await fetch(url, {
    method,
    headers: { 'a2a-version': '1.0', ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const shown = [...response.headers].filter(([name]) => name !== 'date');
  return { status: response.status, text: JSON.stringify([shown, await firstOf(response)]) };
}

/** The body, or the first event of one that has no end. */
async function firstOf(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'text/event-stream') return response.text();
  let text = '';
  const decoder = new TextDecoder();
  // Leaving the loop ends the request.
  for await (const bytes of response.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(bytes, { stream: true });
    if (text.includes('\n\n')) break;
  }
  return text.slice(0, text.indexOf('\n\n'));
}

async function toldByGrpc(
  grpc: GrpcClient,
  method: string,
  request: object,
  metadata: Readonly<Record<string, string>>,
): Promise<Told> {
  try {
    const streams = method === 'SendStreamingMessage' || method === 'SubscribeToTask';
    if (!streams) return { status: 0, text: JSON.stringify(await grpc.call(method, request, { metadata })) };
    for await (const frame of grpc.frames(method, request, { metadata })) return { status: 0, text: JSON.stringify(frame) };
    return { status: 0, text: '' };
  } catch (error) {
    if (!(error instanceof GrpcError)) throw error;
    return { status: error.code, text: JSON.stringify([error.message, error.details]) };
  }
}
