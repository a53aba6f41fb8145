import { unwrapData, type JsonValue, type Part, type SendMessageResponse, type StreamResponse, type Struct } from '#protocol';
import { fieldsOf, struct, text, textOf, type Fields } from './fields.js';
import { AnswerReader } from './read-answer.js';

/** `unknown` is what an agent says that has lost sight of a task which has not ended. */
const STATES: Readonly<Record<string, string>> = Object.freeze({
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELED',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  rejected: 'TASK_STATE_REJECTED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
  unknown: 'TASK_STATE_WORKING',
  TASK_STATE_CANCELLED: 'TASK_STATE_CANCELED',
});

/** A part of either form: their field names do not overlap. */
function partOf(fields: Fields): Part {
  if (typeof fields['text'] === 'string') return { text: fields['text'], ...struct(fields) };
  const { file } = fields;
  if (file != null) {
    const about = fieldsOf(file, 'a file');
    const [raw, url] = [
      textOf(about, 'bytes') ?? textOf(about, 'fileWithBytes'),
      textOf(about, 'uri') ?? textOf(about, 'fileWithUri'),
    ];
    const mediaType = textOf(about, 'mimeType');
    return {
      ...(raw === undefined ? { url: url ?? '' } : { raw }),
      ...(mediaType === undefined ? {} : { mediaType }),
      ...('name' in text(about, 'name') ? { filename: textOf(about, 'name') as string } : {}),
      ...struct(fields),
    };
  }
  const inner = fields['kind'] === undefined ? fieldsOf(fields['data'] ?? {}, 'a data part')['data'] : fields['data'];
  const { data, metadata } = unwrapData({ data: inner, metadata: struct(fields).metadata });
  return { data: (data ?? null) as JsonValue, ...(metadata === undefined ? {} : { metadata: metadata as Struct }) };
}

const reader = new AnswerReader({
  part: partOf,
  state: (written) => (typeof written === 'string' ? (STATES[written] ?? written) : written),
  partsOf: ({ parts, content }) => parts ?? content,
});

/** Which event an object of the `kind` form is. */
const EVENTS: Readonly<Record<string, keyof StreamResponse>> = Object.freeze({
  task: 'task',
  message: 'message',
  'status-update': 'statusUpdate',
  'artifact-update': 'artifactUpdate',
});

/** The one-of of 1.0 around an object that names its kind; the proto form has it already, but for the name of its message. */
function oneOf(value: unknown): unknown {
  const fields = fieldsOf(value, 'the answer');
  const kind = EVENTS[String(fields['kind'])];
  if (kind !== undefined) return { [kind]: fields };
  return 'msg' in fields ? { ...fields, message: fields['msg'] } : fields;
}

/** Answers of A2A 0.3, in the form of JSON-RPC (`kind`) or of HTTP+JSON (the proto package `a2a.v1`). */
export const READ_V03 = {
  task: (value: unknown) => reader.task(value),
  sendResponse: (value: unknown): SendMessageResponse => reader.sendResponse(oneOf(value)),
  streamResponse: (value: unknown): StreamResponse => reader.streamResponse(oneOf(value)),
};
