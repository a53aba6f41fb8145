import { DEFAULT_LIMITS, parseSendMessageRequest, type Form } from '#protocol';
import { readMessage } from './read-message.js';

const read = (parts: unknown, form: Form): unknown => {
  const message = readMessage({ messageId: 'm', role: 'user', parts }, form);
  return (JSON.parse(JSON.stringify(message)) as { parts: unknown }).parts;
};

describe('readMessage', () => {
  it.each<[Form, object, object]>([
    ['kind', { kind: 'text', text: '' }, { text: '' }],
    ['kind', { kind: 'text', text: 'x', metadata: { a: 1 } }, { text: 'x', metadata: { a: 1 } }],
    [
      'kind',
      { kind: 'file', file: { bytes: 'aGk=', mimeType: 'text/plain', name: 'f' } },
      { raw: 'aGk=', mediaType: 'text/plain', filename: 'f' },
    ],
    ['kind', { kind: 'file', file: { uri: 'https://h.test/', mime_type: 'a/b' } }, { url: 'https://h.test/', mediaType: 'a/b' }],
    ['kind', { kind: 'data', data: { data: 1 } }, { data: { data: 1 } }],
    ['kind', { kind: 'data', data: { value: [1] }, metadata: { data_part_compat: true } }, { data: [1] }],
    ['kind', { kind: 'data', data: { value: 1 }, metadata: { data_part_compat: true, k: 1 } }, { data: 1, metadata: { k: 1 } }],
    ['kind', { kind: 'data', data: { value: 1 } }, { data: { value: 1 } }],
    ['kind', { text: 'without a kind' }, { text: 'without a kind' }],
    ['kind', { kind: 'text', data: {} }, {}],
    ['kind', { kind: 'video', text: 'x' }, {}],
    ['proto', { text: 'x', metadata: { a: 1 } }, { text: 'x', metadata: { a: 1 } }],
    [
      'proto',
      { file: { fileWithBytes: 'aGk=', mimeType: 'text/plain', name: 'f' } },
      { raw: 'aGk=', mediaType: 'text/plain', filename: 'f' },
    ],
    ['proto', { file: { file_with_uri: 'https://h.test/' } }, { url: 'https://h.test/' }],
    ['proto', { data: { data: { a: 1 } } }, { data: { a: 1 } }],
    ['proto', { data: { data: { value: null } }, metadata: { data_part_compat: true } }, { data: null }],
    ['proto', { kind: 'data', data: { a: 1 } }, { data: { a: 1 } }],
  ])('a part of the form %s: %j is %j', (form, part, expected) => {
    expect(read([part], form)).toEqual([expected]);
  });

  it('keeps everything else, by either name', () => {
    const rest = { contextId: 'c', taskId: 't', metadata: { a: 1 }, extensions: ['urn:x'], referenceTaskIds: ['r'] };
    const parts = [{ text: 'x' }];
    const expected = { messageId: 'm', role: 'ROLE_USER', parts, ...rest };
    expect(readMessage({ kind: 'message', messageId: 'm', role: 'user', parts, ...rest }, 'kind')).toEqual({
      ...expected,
      parts: [expect.objectContaining({ text: 'x' })],
    });
    const snake = { context_id: 'c', task_id: 't', metadata: { a: 1 }, extensions: ['urn:x'], reference_task_ids: ['r'] };
    const read = readMessage({ message_id: 'm', role: 'ROLE_USER', content: parts, ...snake }, 'proto');
    expect(JSON.parse(JSON.stringify(read))).toEqual(expected);
  });

  it.each<[unknown, string]>([
    [undefined, 'message'],
    ['text', 'message'],
    [{ role: 'user', parts: [{ kind: 'text', text: 'x' }] }, 'message.messageId'],
    [{ messageId: 'm', role: 'user', parts: 'x' }, 'message.parts'],
    [{ messageId: 'm', role: 'user', parts: [] }, 'message.parts'],
    [{ messageId: 'm', role: 'agent', parts: [{ kind: 'text', text: 'x' }] }, 'message.role'],
    [{ messageId: 'm', role: 'user', parts: [{ kind: 'video', text: 'x' }] }, 'message.parts[0]'],
    [{ messageId: 'm', role: 'user', parts: [{ text: 'x', file: { bytes: 'aGk=' } }] }, 'message.parts[0]'],
    [{ messageId: 'm', role: 'user', parts: [{ kind: 'file', file: { bytes: 7 } }] }, 'message.parts[0].raw'],
    [{ messageId: 'm', role: 'user', parts: [7] }, 'message.parts[0]'],
  ])('what is wrong with %j is found by the parser of 1.0 at %s', (message, field) => {
    let violations: readonly { field: string }[] = [];
    try {
      parseSendMessageRequest({ message: readMessage(message, 'kind') }, DEFAULT_LIMITS);
    } catch (error) {
      violations = (error as { fieldViolations: { field: string }[] }).fieldViolations;
    }
    expect(violations.map((one) => one.field)).toContain(field);
  });
});
