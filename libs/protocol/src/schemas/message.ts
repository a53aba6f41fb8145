import type { JsonValue, Message, Part } from '../types.js';
import { toPaddedBase64 } from './base64.js';
import { idFault } from './field-reader.js';
import type { FieldReader } from './field-reader.js';

/**
 * A client's message (section 4.1.4), with the fields in the proto's order and only those that are set. Faults go to the
 * reader; the result counts only when there are none.
 *
 * The checks are written by hand: this runs for every message, and a schema library costs several times as much.
 */
export function readMessage(reader: FieldReader): Message {
  const message: Message = { messageId: reader.requiredId('messageId'), role: 'ROLE_USER', parts: [] };
  const contextId = reader.id('contextId');
  const taskId = reader.id('taskId');
  checkRole(reader);
  message.parts = reader.requiredMessages('parts', 'maxParts').map(readPart);
  const metadata = reader.struct('metadata');
  const extensions = reader.strings('extensions');
  const referenceTaskIds = reader.strings('referenceTaskIds', idFault);
  if (contextId !== undefined) message.contextId = contextId;
  if (taskId !== undefined) message.taskId = taskId;
  if (metadata) message.metadata = metadata;
  if (extensions) message.extensions = extensions;
  if (referenceTaskIds) message.referenceTaskIds = referenceTaskIds;
  return message;
}

/** What a client sends is the user's: agents answer, they do not ask. */
function checkRole(reader: FieldReader): void {
  const role = reader.value('role');
  if (role !== 'ROLE_USER' && role !== 1) reader.fault('role', role === undefined ? 'is required' : 'must be ROLE_USER');
}

function readPart(reader: FieldReader): Part {
  const part: Part = {};
  const text = reader.value('text');
  const raw = reader.value('raw');
  const url = reader.value('url');
  // A google.protobuf.Value is the one field of which `null` is a value: `{"data":null}` has content.
  const data = reader.raw('data');
  const contents = [text, raw, url, data].filter((content) => content !== undefined).length;
  if (contents !== 1) {
    reader.faults.add(reader.path, `must have exactly one of text, raw, url and data, not ${contents === 0 ? 'none' : contents}`);
  }
  if (text !== undefined) part.text = reader.text('text', text);
  if (raw !== undefined) part.raw = readBytes(reader, raw);
  if (url !== undefined) part.url = reader.text('url', url);
  if (data !== undefined) part.data = reader.checkedJson('data', data) as JsonValue | undefined;
  const metadata = reader.struct('metadata');
  const filename = reader.string('filename');
  const mediaType = reader.string('mediaType');
  if (metadata) part.metadata = metadata;
  if (filename !== undefined) part.filename = filename;
  if (mediaType !== undefined) part.mediaType = mediaType;
  return part;
}

function readBytes(reader: FieldReader, value: unknown): string | undefined {
  const text = reader.text('raw', value);
  return text === undefined ? undefined : (toPaddedBase64(text) ?? reader.fault('raw', 'must be base64'));
}
