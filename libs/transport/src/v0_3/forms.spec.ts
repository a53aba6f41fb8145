import { join } from 'node:path';
import { fromJson, toJson, type JsonValue } from '@bufbuild/protobuf';
import {
  type Artifact,
  type Message,
  type Part,
  type StreamResponse,
  type Task,
  type TaskPushNotificationConfig,
  type TaskState,
  type AnswerForm,
  KIND_FORM,
  PROTO_FORM,
} from '#protocol';
import { loadDescriptors } from '../grpc/descriptors.js';
import { writeAnswer } from './write-answer.js';

const { registry } = loadDescriptors(join(import.meta.dirname, '../../../../proto'));

/** As it goes out: a member that is undefined is not there. */
const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Strict: it refuses a field that the package does not have, and what it writes back is all that it understood. */
function understood(type: string, value: unknown): unknown {
  const schema = registry.getMessage(`a2a.v1.${type}`);
  if (!schema) throw new Error(`a2a.v1 has no ${type}`);
  return toJson(schema, fromJson(schema, json(value) as JsonValue), { alwaysEmitImplicit: false });
}

const message = (parts: Part[], more: Partial<Message> = {}): Message => ({ messageId: 'm', role: 'ROLE_AGENT', parts, ...more });
const ofState = (state: TaskState): Task => ({ id: 't', contextId: 'c', status: { state } });

const ARTIFACT: Artifact = {
  artifactId: 'a',
  name: 'n',
  description: 'd',
  parts: [{ text: 'x' }],
  metadata: { k: [1] },
  extensions: ['urn:x'],
};
const FULL: Task = {
  id: 't',
  contextId: 'c',
  status: { state: 'TASK_STATE_COMPLETED', timestamp: '2026-01-02T03:04:05.006Z', message: message([{ text: 'done' }]) },
  artifacts: [ARTIFACT],
  history: [
    message([{ text: 'hi' }], { role: 'ROLE_USER', contextId: 'c', taskId: 't', extensions: ['urn:x'], metadata: { a: 1 } }),
  ],
  metadata: { m: true },
};

describe.each<[string, AnswerForm, (kind: string) => object, string]>([
  ['kind', KIND_FORM, (kind) => ({ kind }), 'parts'],
  ['proto', PROTO_FORM, () => ({}), 'content'],
])('the form %s', (form, answers, kind, parts) => {
  const proto = form === 'proto';
  const roles = proto ? ['ROLE_USER', 'ROLE_AGENT'] : ['user', 'agent'];
  const text = (value: string): object => ({ ...kind('text'), text: value });

  it.each<[TaskState, string, string]>([
    ['TASK_STATE_SUBMITTED', 'submitted', 'TASK_STATE_SUBMITTED'],
    ['TASK_STATE_WORKING', 'working', 'TASK_STATE_WORKING'],
    ['TASK_STATE_COMPLETED', 'completed', 'TASK_STATE_COMPLETED'],
    ['TASK_STATE_FAILED', 'failed', 'TASK_STATE_FAILED'],
    ['TASK_STATE_CANCELED', 'canceled', 'TASK_STATE_CANCELLED'],
    ['TASK_STATE_INPUT_REQUIRED', 'input-required', 'TASK_STATE_INPUT_REQUIRED'],
    ['TASK_STATE_REJECTED', 'rejected', 'TASK_STATE_REJECTED'],
    ['TASK_STATE_AUTH_REQUIRED', 'auth-required', 'TASK_STATE_AUTH_REQUIRED'],
  ])('calls %s %s, or %s', (state, ofKind, ofProto) => {
    expect(json(answers.task(ofState(state)))).toEqual({
      ...kind('task'),
      id: 't',
      contextId: 'c',
      status: { state: proto ? ofProto : ofKind },
    });
  });

  it.each<[Part, object, object]>([
    [{ text: '' }, { kind: 'text', text: '' }, { text: '' }],
    [
      { text: 'x', mediaType: 'text/markdown', metadata: { k: 1 } },
      { kind: 'text', text: 'x', metadata: { k: 1 } },
      { text: 'x', metadata: { k: 1 } },
    ],
    [
      { raw: 'aGk=', mediaType: 'a/b', filename: 'f' },
      { kind: 'file', file: { bytes: 'aGk=', mimeType: 'a/b', name: 'f' } },
      { file: { fileWithBytes: 'aGk=', mimeType: 'a/b', name: 'f' } },
    ],
    [{ url: 'https://h/' }, { kind: 'file', file: { uri: 'https://h/' } }, { file: { fileWithUri: 'https://h/' } }],
    [{ data: { a: null } }, { kind: 'data', data: { a: null } }, { data: { data: { a: null } } }],
    [
      { data: [1] },
      { kind: 'data', data: { value: [1] }, metadata: { data_part_compat: true } },
      { data: { data: { value: [1] } }, metadata: { data_part_compat: true } },
    ],
    [
      { data: null, metadata: { k: 1 } },
      { kind: 'data', data: { value: null }, metadata: { k: 1, data_part_compat: true } },
      { data: { data: { value: null } }, metadata: { k: 1, data_part_compat: true } },
    ],
  ])('writes the part %j', (part, ofKind, ofProto) => {
    const written = json(answers.message(message([part])));
    expect(written).toEqual({ ...kind('message'), messageId: 'm', role: roles[1], [parts]: [proto ? ofProto : ofKind] });
  });

  it('writes everything that a task has', () => {
    expect(json(answers.task(FULL))).toEqual({
      ...FULL,
      ...kind('task'),
      status: {
        state: proto ? 'TASK_STATE_COMPLETED' : 'completed',
        timestamp: '2026-01-02T03:04:05.006Z',
        message: { ...kind('message'), messageId: 'm', role: roles[1], [parts]: [text('done')] },
      },
      artifacts: [{ ...ARTIFACT, parts: [text('x')] }],
      history: [
        {
          ...kind('message'),
          messageId: 'm',
          role: roles[0],
          [parts]: [text('hi')],
          contextId: 'c',
          taskId: 't',
          extensions: ['urn:x'],
          metadata: { a: 1 },
        },
      ],
    });
  });

  const STATUS_UPDATE = { taskId: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' as const }, metadata: { k: 1 } };
  const ARTIFACT_UPDATE = { taskId: 't', contextId: 'c', artifact: ARTIFACT, append: true, lastChunk: false, metadata: { k: 1 } };
  const working = proto ? 'TASK_STATE_WORKING' : 'working';
  it.each<[string, StreamResponse, boolean, string, object]>([
    ['a task', { task: ofState('TASK_STATE_WORKING') }, false, 'task', { id: 't', contextId: 'c', status: { state: working } }],
    [
      'a message',
      { message: message([{ text: 'x' }]) },
      true,
      'message',
      { messageId: 'm', role: roles[1], [parts]: [text('x')] },
    ],
    [
      'a status',
      { statusUpdate: STATUS_UPDATE },
      false,
      'status-update',
      { ...STATUS_UPDATE, status: { state: working }, final: false },
    ],
    [
      'the last status',
      { statusUpdate: STATUS_UPDATE },
      true,
      'status-update',
      { ...STATUS_UPDATE, status: { state: working }, final: true },
    ],
    [
      'an artifact',
      { artifactUpdate: ARTIFACT_UPDATE },
      false,
      'artifact-update',
      { ...ARTIFACT_UPDATE, artifact: { ...ARTIFACT, parts: [text('x')] } },
    ],
  ])('writes the event of %s', (_, response, final, name, expected) => {
    const written = json(answers.streamResponse(response, final));
    expect(written).toEqual(proto ? { [Object.keys(response)[0] as string]: expected } : { kind: name, ...expected });
  });

  const CONFIG: TaskPushNotificationConfig = {
    tenant: 'acme',
    taskId: 't',
    id: 'p',
    url: 'https://h.test/',
    token: 's',
    authentication: { scheme: 'Bearer', credentials: 'c' },
  };
  const push = { id: 'p', url: 'https://h.test/', token: 's', authentication: { schemes: ['Bearer'], credentials: 'c' } };
  const named = { ...(proto ? { name: 'tasks/t/pushNotificationConfigs/p' } : { taskId: 't' }), pushNotificationConfig: push };
  it.each([
    [
      'sendMessage',
      { task: ofState('TASK_STATE_WORKING') },
      proto ? expect.objectContaining({ task: expect.anything() }) : expect.objectContaining({ kind: 'task' }),
    ],
    [
      'sendMessage',
      { message: message([]) },
      proto ? expect.objectContaining({ message: expect.anything() }) : expect.objectContaining({ kind: 'message' }),
    ],
    ['getTask', ofState('TASK_STATE_WORKING'), expect.objectContaining({ id: 't' })],
    ['cancelTask', ofState('TASK_STATE_CANCELED'), expect.objectContaining({ id: 't' })],
    ['createTaskPushNotificationConfig', CONFIG, named],
    ['getTaskPushNotificationConfig', CONFIG, named],
    ['listTaskPushNotificationConfigs', { configs: [CONFIG] }, proto ? { configs: [named] } : [named]],
    ['listTaskPushNotificationConfigs', {}, proto ? { configs: [] } : []],
    ['deleteTaskPushNotificationConfig', {}, proto ? {} : null],
  ] as const)('answers %s %j', (operation, result, expected) => {
    expect(JSON.parse(writeAnswer(operation, JSON.stringify(result), answers))).toEqual(expected);
  });
});

describe('the proto form is ProtoJSON of the package a2a.v1', () => {
  const dataParts: Part[] = [
    { data: 1 },
    { raw: 'aGk=', filename: 'f', mediaType: 'a/b' },
    { url: 'u' },
    { text: 'x', metadata: { k: 1 } },
  ];
  it.each<[string, object]>([
    ['Task', PROTO_FORM.task({ ...FULL, artifacts: [{ ...ARTIFACT, parts: dataParts }] })],
    ['Message', PROTO_FORM.message(message(dataParts, { referenceTaskIds: ['r'] }))],
    ['SendMessageResponse', PROTO_FORM.sendResponse({ task: FULL })],
    ['SendMessageResponse', PROTO_FORM.sendResponse({ message: message([{ text: 'x' }]) })],
    ['StreamResponse', PROTO_FORM.streamResponse({ statusUpdate: { taskId: 't', contextId: 'c', status: FULL.status } }, true)],
    [
      'StreamResponse',
      PROTO_FORM.streamResponse({ artifactUpdate: { taskId: 't', contextId: 'c', artifact: ARTIFACT, append: true } }, false),
    ],
    [
      'TaskPushNotificationConfig',
      PROTO_FORM.pushConfig({ taskId: 't', id: 'p', url: 'u', authentication: { scheme: 'Bearer' } }),
    ],
  ])('%s', (type, written) => {
    expect(understood(type, written)).toEqual(json(written));
  });
});
