import { unwrapData, type Form } from '#protocol';
import { fieldOf, isFields, type Fields } from './fields.js';

/** What 0.3 calls the list of a message's parts. */
export const PARTS_FIELD: Readonly<Record<Form, string>> = Object.freeze({ kind: 'parts', proto: 'content' });

/**
 * A message of 0.3 as one of 1.0, not validated: what has the wrong type stays as it is, so that the parser of 1.0 says what is
 * wrong with it. Either form's names are taken in both.
 */
export function readMessage(input: unknown, form: Form): unknown {
  if (!isFields(input)) return input;
  const parts = fieldOf(input, PARTS_FIELD[form], 'parts', 'content');
  const role = fieldOf(input, 'role');
  return {
    messageId: fieldOf(input, 'messageId'),
    contextId: fieldOf(input, 'contextId'),
    taskId: fieldOf(input, 'taskId'),
    role: role === 'user' ? 'ROLE_USER' : role,
    parts: Array.isArray(parts) ? parts.map((part: unknown) => readPart(part, form)) : parts,
    metadata: fieldOf(input, 'metadata'),
    extensions: fieldOf(input, 'extensions'),
    referenceTaskIds: fieldOf(input, 'referenceTaskIds'),
  };
}

/** A part of a kind that does not exist, or without its content, becomes one without content, which the parser refuses. */
function readPart(part: unknown, form: Form): unknown {
  if (!isFields(part)) return part;
  const { kind } = part;
  const metadata = fieldOf(part, 'metadata');
  const of = (name: string): unknown => (kind === undefined || kind === name ? fieldOf(part, name) : undefined);
  const { data, metadata: rest } = unwrapData({ data: readData(of('data'), kind === undefined ? form : 'kind'), metadata });
  return { text: of('text'), ...readFile(of('file')), data, metadata: rest };
}

/** The proto has a message around the data of a part. */
const readData = (data: unknown, form: Form): unknown => (form === 'proto' && isFields(data) ? data['data'] : data);

function readFile(file: unknown): Fields {
  if (!isFields(file)) return {};
  return {
    raw: fieldOf(file, 'bytes', 'fileWithBytes'),
    url: fieldOf(file, 'uri', 'fileWithUri'),
    mediaType: fieldOf(file, 'mimeType'),
    filename: fieldOf(file, 'name'),
  };
}
