import { ClientFactory, DefaultAgentCardResolver, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client';
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc';
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { EventEmitter, once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { play, SCRIPTS } from './scenes.mjs';

/** Drives the agent at the URL that is the first argument with the official JavaScript client: each interface of its card by itself. */
const [baseUrl] = process.argv.slice(2);
const legacyCompat = { enabled: true };
const STATE = { SUBMITTED: 1, WORKING: 2, COMPLETED: 3, CANCELED: 5, INPUT_REQUIRED: 6 };

const card = await new DefaultAgentCardResolver({ legacyCompat }).resolve(`${baseUrl}/`);
const factory = new ClientFactory({
  transports: [
    new JsonRpcTransportFactory({ legacyCompat }),
    new RestTransportFactory({ legacyCompat }),
    new GrpcTransportFactory({ legacyCompat }),
  ],
});

const paramsOf = (text, { configuration, ...message } = {}) => ({
  tenant: '',
  message: {
    ...{ messageId: randomUUID(), contextId: '', taskId: '', role: 1, extensions: [], referenceTaskIds: [], metadata: undefined },
    parts: [{ content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: '' }],
    ...message,
  },
  configuration: configuration && { acceptedOutputModes: [], returnImmediately: false, ...configuration },
  metadata: undefined,
});
const textOf = (parts) => parts.map(({ content }) => content.value).join('');
const artifactText = (task) => textOf(task.artifacts.flatMap(({ parts }) => parts));

/** A client of one interface, by what the scenes ask of it. */
function driverOf(client) {
  const get = (id) => client.getTask({ tenant: '', id, historyLength: undefined });
  const immediately = { configuration: { returnImmediately: true } };
  const until = async (id, state) => {
    for (let n = 0; n < 200; n += 1) {
      const task = await get(id);
      if (task.status.state === state) return task;
      await sleep(50);
    }
    throw new Error(`the task does not come to state ${state}`);
  };
  /** The state that a stream ends with, and the text of its artifact. */
  const follow = async (events) => {
    let state;
    let text = '';
    for await (const { payload } of events) {
      if (payload.$case === 'task') {
        state = payload.value.status.state;
        text = artifactText(payload.value);
      } else if (payload.$case === 'statusUpdate') state = payload.value.status.state;
      else if (payload.$case === 'artifactUpdate') text += textOf(payload.value.artifact.parts);
    }
    return { state, text };
  };

  return {
    async send() {
      const task = await client.sendMessage(paramsOf(SCRIPTS.send));
      assert.equal(task.status.state, STATE.COMPLETED);
      assert.equal(artifactText(task), 'a text');
      assert.equal(textOf(task.status.message.parts), 'done');
    },
    async poll() {
      const task = await client.sendMessage(paramsOf(SCRIPTS.poll, immediately));
      assert.ok([STATE.SUBMITTED, STATE.WORKING].includes(task.status.state));
      await until(task.id, STATE.COMPLETED);
    },
    async stream() {
      const seen = await follow(client.sendMessageStream(paramsOf(SCRIPTS.stream)));
      assert.deepEqual(seen, { state: STATE.COMPLETED, text: '1 2 3 4 5 ' });
    },
    async subscribe() {
      const task = await client.sendMessage(paramsOf(SCRIPTS.subscribe, immediately));
      const { state, text } = await follow(client.resubscribeTask({ tenant: '', id: task.id }));
      assert.deepEqual({ state, text }, { state: STATE.COMPLETED, text: '1 2 3 4 5 6 7 8 9 10 ' });
    },
    async list() {
      const contextId = randomUUID();
      const ids = [];
      for (let n = 0; n < 3; n += 1) ids.push((await client.sendMessage(paramsOf(SCRIPTS.send, { contextId }))).id);
      const page = { tenant: '', contextId, status: 0, pageSize: 2, pageToken: '', historyLength: undefined };
      const first = await client.listTasks({ ...page, statusTimestampAfter: undefined, includeArtifacts: undefined });
      const second = await client.listTasks({ ...page, pageToken: first.nextPageToken, statusTimestampAfter: undefined });
      assert.equal(first.totalSize, 3);
      assert.deepEqual([...first.tasks, ...second.tasks].map(({ id }) => id).sort(), ids.sort());
      assert.equal(second.nextPageToken, '');
    },
    async cancel() {
      const { id } = await client.sendMessage(paramsOf(SCRIPTS.cancel, immediately));
      await until(id, STATE.WORKING);
      const task = await client.cancelTask({ tenant: '', id, metadata: undefined });
      assert.equal(task.status.state, STATE.CANCELED);
    },
    async conversation() {
      const asked = await client.sendMessage(paramsOf(SCRIPTS.ask));
      assert.equal(asked.status.state, STATE.INPUT_REQUIRED);
      const done = await client.sendMessage(paramsOf(SCRIPTS.answer, { taskId: asked.id, contextId: asked.contextId }));
      assert.equal(done.id, asked.id);
      assert.equal(done.status.state, STATE.COMPLETED);
    },
    async unknownTask() {
      await assert.rejects(get('00000000-0000-7000-8000-000000000000'), /not found/i);
    },
    async push() {
      const received = await withReceiver(async (url) => {
        const task = await client.sendMessage(paramsOf(SCRIPTS.push, immediately));
        const config = { tenant: '', id: 'mine', taskId: task.id, url, token: 'secret', authentication: undefined };
        const made = await client.createTaskPushNotificationConfig(config);
        assert.equal(made.url, url);
        assert.equal(made.token, '');
        const { configs } = await client.listTaskPushNotificationConfig({
          tenant: '',
          taskId: task.id,
          pageSize: 0,
          pageToken: '',
        });
        assert.deepEqual(
          configs.map(({ id }) => id),
          ['mine'],
        );
        await until(task.id, STATE.COMPLETED);
        return task.id;
      });
      assert.equal(received.token, 'secret');
      assert.equal(received.taskId, received.result);
    },
  };
}

/** Has `act` send what makes a notification to the URL that it gets; resolves with who was told of as COMPLETED, and with what token. */
async function withReceiver(act) {
  const seen = new EventEmitter();
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.end();
    const told = JSON.parse(body);
    const update = told.statusUpdate ?? told;
    if (/completed/i.test(update.status?.state ?? ''))
      seen.emit('completed', { taskId: update.taskId ?? update.id, token: request.headers['x-a2a-notification-token'] });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const completed = once(seen, 'completed', { signal: AbortSignal.timeout(20_000) });
    const [result, [received]] = await Promise.all([act(`http://127.0.0.1:${server.address().port}/hook`), completed]);
    return { ...received, result };
  } finally {
    server.close();
  }
}

for (const offered of card.supportedInterfaces) {
  const only = { ...card, supportedInterfaces: [offered] };
  const client = await factory.createFromAgentCard(only);
  await play(`${offered.protocolBinding} ${offered.protocolVersion}`, driverOf(client), {
    ...(offered.protocolVersion === '0.3' ? { list: '0.3 has none' } : {}),
    ...(card.capabilities.pushNotifications ? {} : { push: 'the card does not offer it' }),
  });
}
// The client's gRPC channels have no end of their own.
process.exit(0);
