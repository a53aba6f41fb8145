import { Role, TaskState, type AgentCard, type Artifact, type Message, type Task, type TaskStatus } from '@a2a-js/sdk';
import {
  AgentEvent,
  DefaultRequestHandler,
  InMemoryTaskStore,
  ServerCallContext,
  UnauthenticatedUser,
  type AgentExecutor,
  type ExecutionEventBus,
  type RequestContext,
} from '@a2a-js/sdk/server';
import { UserBuilder, jsonRpcHandler } from '@a2a-js/sdk/server/express';
import express from 'express';
import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';

/** The official SDK's server as its samples build it, with the agents of `test/bench/agents`. Arguments: `<agent id>=<tasks to preload>`. */

const CHUNKS = 100;

const part = (value: string): Message['parts'][number] => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: '',
});

const textOf = ({ parts }: Message): string =>
  parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('');

const answer = (taskId: string, contextId: string, text: string): Message => ({
  messageId: randomUUID(),
  taskId,
  contextId,
  role: Role.ROLE_AGENT,
  parts: [part(text)],
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

const status = (state: TaskState, message?: Message): TaskStatus => ({ state, message, timestamp: new Date().toISOString() });

const submitted = ({ taskId: id, contextId, userMessage }: RequestContext): Task => ({
  id,
  contextId,
  status: status(TaskState.TASK_STATE_SUBMITTED),
  artifacts: [],
  history: [userMessage],
  metadata: undefined,
});

class Echo implements AgentExecutor {
  async execute(request: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const { taskId, contextId, userMessage } = request;
    bus.publish(AgentEvent.task(submitted(request)));
    const message = answer(taskId, contextId, `echo: ${textOf(userMessage)}`);
    bus.publish(
      AgentEvent.statusUpdate({
        taskId,
        contextId,
        status: status(TaskState.TASK_STATE_COMPLETED, message),
        metadata: undefined,
      }),
    );
  }

  async cancelTask(): Promise<void> {}
}

class Hundred implements AgentExecutor {
  async execute(request: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const { taskId, contextId } = request;
    bus.publish(AgentEvent.task(submitted(request)));
    for (let n = 1; n <= CHUNKS; n += 1) {
      const artifact: Artifact = {
        artifactId: 'answer',
        name: '',
        description: '',
        parts: [part(`chunk ${n} of a text that a model would have written `)],
        metadata: undefined,
        extensions: [],
      };
      bus.publish(
        AgentEvent.artifactUpdate({ taskId, contextId, artifact, append: n > 1, lastChunk: n === CHUNKS, metadata: undefined }),
      );
    }
    bus.publish(
      AgentEvent.statusUpdate({ taskId, contextId, status: status(TaskState.TASK_STATE_COMPLETED), metadata: undefined }),
    );
  }

  async cancelTask(): Promise<void> {}
}

const card = (id: string): AgentCard => ({
  name: id,
  description: `${id}, an agent for the benchmark`,
  supportedInterfaces: [{ url: `http://127.0.0.1/agents/${id}`, protocolBinding: 'JSONRPC', tenant: '', protocolVersion: '1.0' }],
  provider: undefined,
  version: '1.0.0',
  capabilities: { streaming: true, pushNotifications: false, extensions: [], extendedAgentCard: false },
  securitySchemes: {},
  securityRequirements: [],
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [],
  documentationUrl: '',
  signatures: [],
});

async function preload(store: InMemoryTaskStore, count: number): Promise<void> {
  const context = new ServerCallContext({ user: new UnauthenticatedUser() });
  const newest = Date.now();
  for (let n = 0; n < count; n += 1) {
    const id = randomUUID();
    const contextId = randomUUID();
    const timestamp = new Date(newest - n).toISOString();
    const question: Message = { ...answer(id, contextId, 'hello'), role: Role.ROLE_USER };
    const done = { ...status(TaskState.TASK_STATE_COMPLETED, answer(id, contextId, 'echo: hello')), timestamp };
    await store.save({ id, contextId, status: done, artifacts: [], history: [question], metadata: undefined }, context);
  }
}

const app = express();

async function serve(id: string, executor: AgentExecutor, tasks = 0): Promise<void> {
  const store = new InMemoryTaskStore();
  await preload(store, tasks);
  const requestHandler = new DefaultRequestHandler(card(id), store, executor);
  app.use(`/agents/${id}`, jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
}

await serve('echo', new Echo());
await serve('hundred', new Hundred());
for (const argument of process.argv.slice(2)) {
  const [id, tasks] = argument.split('=');
  await serve(id as string, new Echo(), Number(tasks));
}
const server = app.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.on('disconnect', () => process.exit(0));
