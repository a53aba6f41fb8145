import { HttpConnection } from './load/http-connection.js';
import { rpcRequest } from './load/requests.js';

/** One JSON-RPC call; throws on an error answer. */
export async function call<T>(port: number, agentId: string, method: string, params: object): Promise<T> {
  const connection = new HttpConnection(port);
  try {
    const { status, body } = await connection.exchange(rpcRequest(agentId, method, params));
    const { result, error } = JSON.parse(body.toString()) as { result?: T; error?: unknown };
    if (status !== 200 || error !== undefined || result === undefined)
      throw new Error(`${method}: ${status} ${body.toString().slice(0, 500)}`);
    return result;
  } finally {
    connection.close();
  }
}

/** Sends a message, and resolves with the id of the task that it made. */
export async function makeTask(port: number, agentId: string, messageId: string): Promise<string> {
  const message = { messageId, role: 'ROLE_USER', parts: [{ text: 'hello' }] };
  const { task } = await call<{ task: { id: string } }>(port, agentId, 'SendMessage', { message });
  return task.id;
}
