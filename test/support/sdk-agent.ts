import { Role, TaskState, type AgentCard, type Message } from '@a2a-js/sdk';
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  type AgentExecutor,
  type ExecutionEventBus,
  type RequestContext,
} from '@a2a-js/sdk/server';
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express';
import express from 'express';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

class Echo implements AgentExecutor {
  async execute({ taskId, contextId, userMessage }: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const now = new Date().toISOString();
    const submitted = { state: TaskState.TASK_STATE_SUBMITTED, message: undefined, timestamp: now };
    const task = { id: taskId, contextId, status: submitted, artifacts: [], history: [userMessage], metadata: undefined };
    bus.publish(AgentEvent.task(task));
    const message: Message = { ...userMessage, messageId: randomUUID(), taskId, contextId, role: Role.ROLE_AGENT };
    const status = { state: TaskState.TASK_STATE_COMPLETED, message, timestamp: now };
    bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
  }

  async cancelTask(): Promise<void> {}
}

/** An agent on the official SDK's in-memory server, put together as its samples do it. */
export async function startSdkAgent(): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const app = express();
  const server = createServer(app);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const at = (path: string, protocolBinding: string) => ({
    url: url + path,
    protocolBinding,
    tenant: '',
    protocolVersion: '1.0',
  });
  const card: AgentCard = {
    name: 'echo',
    description: 'An agent that says what it is told',
    supportedInterfaces: [at('/rpc', 'JSONRPC'), at('/rest', 'HTTP+JSON')],
    provider: undefined,
    version: '1.0.0',
    capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [
      {
        id: 'echo',
        name: 'echo',
        description: 'Echoes',
        tags: ['echo'],
        examples: [],
        inputModes: [],
        outputModes: [],
        securityRequirements: [],
      },
    ],
    documentationUrl: '',
    signatures: [],
  };
  const requestHandler = new DefaultRequestHandler(card, new InMemoryTaskStore(), new Echo());
  const userBuilder = UserBuilder.noAuthentication;
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: requestHandler }));
  app.use('/rpc', jsonRpcHandler({ requestHandler, userBuilder }));
  app.use('/rest', restHandler({ requestHandler, userBuilder }));
  return {
    url,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
