import * as fc from 'fast-check';
import { OPERATIONS, type OperationName } from '#protocol';
import { anyJson, anyObject, anyText, objectOf, unlikely } from './json-arbitraries.js';

/** Stands for the id of a task that exists: whoever sends the request puts it in. */
export const KNOWN = 'known-task';

const id = fc.oneof(fc.constant(KNOWN), fc.uuid(), fc.string({ minLength: 1, maxLength: 12 }));
const bytes = fc.uint8Array({ maxLength: 24 }).map((all) => Buffer.from(all).toString('base64'));
/** Text that may be an id. */
export const goodId = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).map((text) => text.replaceAll('\0', '0'));

const goodToken = fc.stringMatching(/^[!-~]{1,20}$/);
const content = fc.oneof(
  anyText.map((text) => ({ text })),
  bytes.map((raw) => ({ raw })),
  anyText.map((url) => ({ url })),
  anyJson.map((data) => ({ data })),
);
const aboutPart = fc.record({ metadata: anyObject, filename: anyText, mediaType: anyText }, { requiredKeys: [] });

/** Every part that the specification allows. */
export const goodPart: fc.Arbitrary<Record<string, unknown>> = fc
  .tuple(content, aboutPart)
  .map(([one, about]) => ({ ...one, ...about }));

/** A message that opens a task, of every form that the specification allows. */
export const goodMessage: fc.Arbitrary<Record<string, unknown>> = fc.record(
  {
    messageId: goodId,
    role: fc.constant('ROLE_USER'),
    parts: fc.array(goodPart, { minLength: 1, maxLength: 5 }),
    contextId: goodId,
    metadata: anyObject,
    extensions: fc.array(anyText, { maxLength: 3 }),
  },
  { requiredKeys: ['messageId', 'role', 'parts'] },
);

/** An object whose fields are mostly as they should be; names that it should not have are among them. */
function nearly(fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Record<string, unknown>> {
  const known = Object.fromEntries(Object.entries(fields).map(([name, arbitrary]) => [name, unlikely(arbitrary)]));
  const stranger = fc.option(fc.tuple(anyText, anyJson), { freq: 8 });
  return fc
    .tuple(fc.record(known, { requiredKeys: Object.keys(fields).slice(0, 3) }), stranger)
    .map(([object, odd]) => (odd ? objectOf([...Object.entries(object), odd]) : object));
}

const part = fc.oneof(goodPart, nearly({ text: anyText, raw: anyText, url: anyText, data: anyJson, metadata: anyObject }));
const message = fc.oneof(
  goodMessage,
  nearly({
    messageId: id,
    role: fc.constantFrom('ROLE_USER', 'ROLE_AGENT', 'ROLE_UNSPECIFIED', 1, 2),
    parts: fc.array(part, { maxLength: 4 }),
    taskId: id,
    contextId: id,
    metadata: anyObject,
    extensions: fc.array(anyText, { maxLength: 3 }),
    referenceTaskIds: fc.array(id, { maxLength: 3 }),
  }),
);
const length = fc.oneof(fc.integer({ min: -2, max: 200 }), fc.integer(), fc.integer().map(String));
const authentication = fc.oneof(
  anyObject,
  nearly({ scheme: fc.constantFrom('Bearer', 'Basic', 'x y', ''), credentials: fc.oneof(goodToken, anyText) }),
);
const config = nearly({
  taskId: id,
  id,
  url: fc.oneof(fc.webUrl(), fc.constantFrom('https://receiver.example/hook', 'http://127.0.0.1/', 'http://10.0.0.1/'), anyText),
  token: fc.oneof(goodToken, anyText),
  authentication,
});
const configuration = nearly({
  historyLength: length,
  returnImmediately: fc.boolean(),
  acceptedOutputModes: fc.array(fc.oneof(fc.constantFrom('text/plain', '*/*', ''), anyText), { maxLength: 3 }),
});
const inline = configuration.chain((fields) =>
  fc.option(config, { freq: 4 }).map((one) => (one === null ? fields : { ...fields, taskPushNotificationConfig: one })),
);
const send = nearly({ message, metadata: anyObject, configuration: inline, tenant: fc.constantFrom('', 'acme') });
const time = fc.oneof(
  fc.date({ noInvalidDate: true, min: new Date('0001-01-01'), max: new Date('9999-12-31') }).map((date) => date.toISOString()),
  anyText,
);

/** A request of each operation, mostly as it should be. */
export const REQUESTS: Readonly<Record<OperationName, fc.Arbitrary<Record<string, unknown>>>> = {
  sendMessage: send,
  sendStreamingMessage: send,
  getTask: nearly({ id, historyLength: length }),
  listTasks: nearly({
    contextId: id,
    pageSize: fc.oneof(fc.integer({ min: 1, max: 100 }), length),
    historyLength: length,
    status: fc.constantFrom('TASK_STATE_COMPLETED', 'TASK_STATE_UNSPECIFIED', 'TASK_STATE_WORKING', 3, 'x'),
    pageToken: anyText,
    statusTimestampAfter: time,
    includeArtifacts: fc.boolean(),
  }),
  cancelTask: nearly({ id, metadata: anyObject }),
  subscribeToTask: nearly({ id }),
  createTaskPushNotificationConfig: config,
  getTaskPushNotificationConfig: nearly({ taskId: id, id }),
  listTaskPushNotificationConfigs: nearly({ taskId: id, pageSize: length, pageToken: anyText }),
  deleteTaskPushNotificationConfig: nearly({ taskId: id, id }),
  getExtendedAgentCard: nearly({ tenant: fc.constantFrom('', 'acme') }),
};

export const anyOperation = fc.constantFrom(...(Object.keys(OPERATIONS) as OperationName[]));

/** An operation with a request that is mostly one of its own. */
export const anyCall = anyOperation.chain((operation) => REQUESTS[operation].map((request) => ({ operation, request })));

/** Headers of a request; metadata over gRPC. Mostly those of 1.0, and only such characters as HTTP lets through. */
export const anyHeaders: fc.Arbitrary<Record<string, string>> = fc
  .record({
    'a2a-version': fc.oneof({ weight: 20, arbitrary: fc.constant('1.0') }, { weight: 1, arbitrary: headerText() }),
    'a2a-extensions': fc.option(headerText(), { freq: 20 }),
    'idempotency-key': fc.option(headerText(), { freq: 20 }),
    'last-event-id': fc.option(fc.oneof(fc.integer().map(String), headerText()), { freq: 20 }),
  })
  .map((headers) => Object.fromEntries(Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null)));

function headerText(): fc.Arbitrary<string> {
  return fc.string({ unit: 'grapheme-ascii', maxLength: 20 }).map((text) => text.trim());
}
