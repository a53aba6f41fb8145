import { DEFAULT_LIMITS } from './limits.js';
import { parseSendMessageRequest } from './send-message-request.js';
import { faultyFieldsOf, violationsOf } from './violations.spec-support.js';

const MESSAGE = { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'hi' }] };
const parseMessage = (fields: object) => parseSendMessageRequest({ message: { ...MESSAGE, ...fields } }).message;
const parsePart = (part: unknown) => parseMessage({ parts: [part] }).parts[0];
const faultyFields = (request: unknown) => faultyFieldsOf(() => parseSendMessageRequest(request));
const faultyMessageFields = (fields: object) => faultyFields({ message: { ...MESSAGE, ...fields } });

/** `{}` nested so that the value has `levels` levels. */
const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });

describe('parseSendMessageRequest', () => {
  it('keeps every field of the proto and nothing else, at every level', () => {
    const request = {
      tenant: 'acme',
      message: {
        messageId: 'm-1',
        contextId: 'c-1',
        taskId: 't-1',
        role: 'ROLE_USER',
        parts: [
          { text: '', metadata: { a: 1 } },
          { raw: 'aGk=', filename: 'a.txt', mediaType: 'text/plain' },
          { url: 'https://example.com/a' },
          { data: { list: [1, null, 'x'] } },
        ],
        metadata: { nested: { unknown: true } },
        extensions: ['https://example.com/ext'],
        referenceTaskIds: ['t-0'],
      },
      configuration: {
        acceptedOutputModes: ['text/plain'],
        taskPushNotificationConfig: {
          url: 'https://example.com/hook',
          id: 'p-1',
          token: 'secret',
          authentication: { scheme: 'Bearer', credentials: 'abc' },
        },
        historyLength: 0,
        returnImmediately: true,
      },
      metadata: { reason: 'test' },
    };
    const withUnknown = structuredClone(request) as Record<string, never> & typeof request;
    for (const object of [
      withUnknown,
      withUnknown.message,
      withUnknown.message.parts[0],
      withUnknown.configuration,
      withUnknown.configuration.taskPushNotificationConfig,
      withUnknown.configuration.taskPushNotificationConfig.authentication,
    ]) {
      Object.assign(object as object, { kind: 'message', blocking: true });
    }
    expect(parseSendMessageRequest(withUnknown)).toEqual(request);
  });

  it('leaves the input as it was', () => {
    const input = { message: { ...MESSAGE, parts: [{ raw: '_-8' }], extra: 1 } };
    const before = structuredClone(input);
    parseSendMessageRequest(input);
    expect(input).toEqual(before);
  });

  it('accepts the names of the proto', () => {
    const message = {
      message_id: 'm-1',
      context_id: 'c',
      task_id: 't',
      role: 1,
      parts: [{ text: 'hi', media_type: 'text/plain' }],
      reference_task_ids: ['r'],
    };
    const configuration = {
      accepted_output_modes: ['text/plain'],
      history_length: 2,
      return_immediately: true,
      task_push_notification_config: { url: 'http://example.com', task_id: 't' },
    };
    expect(parseSendMessageRequest({ message, configuration })).toEqual({
      message: {
        messageId: 'm-1',
        contextId: 'c',
        taskId: 't',
        role: 'ROLE_USER',
        parts: [{ text: 'hi', mediaType: 'text/plain' }],
        referenceTaskIds: ['r'],
      },
      configuration: {
        acceptedOutputModes: ['text/plain'],
        historyLength: 2,
        returnImmediately: true,
        taskPushNotificationConfig: { url: 'http://example.com', taskId: 't' },
      },
    });
  });

  it('refuses a field that came under both its names', () => {
    expect(violationsOf(() => parseMessage({ message_id: 'other' }))).toEqual([
      'message.messageId: is given twice, also as message_id',
    ]);
  });

  it('drops what is null or has its default value', () => {
    const empty = { contextId: '', taskId: '', metadata: null, extensions: [], referenceTaskIds: null };
    expect(parseMessage(empty)).toEqual(MESSAGE);
    expect(parseMessage({ contextId: null, taskId: null, metadata: {} })).toEqual({ ...MESSAGE, metadata: {} });
    expect(parsePart({ text: 'hi', raw: null, url: null, metadata: null, filename: '', mediaType: '' })).toEqual({ text: 'hi' });
    expect(parseSendMessageRequest({ tenant: '', message: MESSAGE, configuration: null, metadata: null })).toEqual({
      message: MESSAGE,
    });
  });

  it.each([
    ['nothing at all', undefined, ['message']],
    ['null', null, ['message']],
    ['an array', [], ['', 'message']],
    ['a string', 'hi', ['', 'message']],
    ['no message', {}, ['message']],
    ['a message that is a string', { message: 'hi' }, ['message']],
    ['an empty message', { message: {} }, ['message.messageId', 'message.role', 'message.parts']],
    ['metadata that is an array', { message: MESSAGE, metadata: [] }, ['metadata']],
    ['a configuration that is true', { message: MESSAGE, configuration: true }, ['configuration']],
    [
      'a bad configuration',
      {
        message: MESSAGE,
        configuration: {
          acceptedOutputModes: 'text/plain',
          historyLength: -1,
          returnImmediately: 'true',
          taskPushNotificationConfig: { authentication: {} },
        },
      },
      [
        'configuration.acceptedOutputModes',
        'configuration.historyLength',
        'configuration.returnImmediately',
        'configuration.taskPushNotificationConfig.url',
        'configuration.taskPushNotificationConfig.authentication.scheme',
      ],
    ],
  ])('refuses %s', (_, request, fields) => {
    expect(faultyFields(request).sort()).toEqual([...fields].sort());
  });

  it.each([
    ['an empty messageId', { messageId: '' }, ['message.messageId']],
    ['a messageId that is null', { messageId: null }, ['message.messageId']],
    ['a messageId that is a number', { messageId: 7 }, ['message.messageId']],
    ['the role of an agent', { role: 'ROLE_AGENT' }, ['message.role']],
    ['the number of an agent', { role: 2 }, ['message.role']],
    ['an unspecified role', { role: 'ROLE_UNSPECIFIED' }, ['message.role']],
    ['the role of 0.3', { role: 'user' }, ['message.role']],
    ['no role', { role: undefined }, ['message.role']],
    ['no parts', { parts: [] }, ['message.parts']],
    ['parts that are null', { parts: null }, ['message.parts']],
    ['parts that are an object', { parts: { text: 'hi' } }, ['message.parts']],
    ['a part that is a string', { parts: [{ text: 'a' }, 'b', null] }, ['message.parts[1]', 'message.parts[2]']],
    ['extensions that are a string', { extensions: 'x' }, ['message.extensions']],
    ['an extension that is null', { extensions: ['x', null] }, ['message.extensions[1]']],
    ['a reference that is a number', { referenceTaskIds: [1, 'x'] }, ['message.referenceTaskIds[0]']],
    ['a contextId that is an object', { contextId: {} }, ['message.contextId']],
    ['metadata that is a string', { metadata: 'x' }, ['message.metadata']],
  ])('refuses %s', (_, fields, expected) => {
    expect(faultyMessageFields(fields)).toEqual(expected);
  });

  it('reports every fault at once, with the first in its message', () => {
    const parts = [{}, { text: 'a', url: 'b' }, { text: 5 }];
    expect(faultyMessageFields({ messageId: '', role: 'x', parts })).toEqual([
      'message.messageId',
      'message.role',
      'message.parts[0]',
      'message.parts[1]',
      'message.parts[2].text',
    ]);
    expect(() => parseMessage({ messageId: '', role: 'x' })).toThrow(
      'message.messageId: is required and must not be empty (and 1 more)',
    );
  });

  it('reports no more faults than fit an answer', () => {
    expect(faultyMessageFields({ parts: Array.from({ length: 500 }, () => ({})) })).toHaveLength(100);
  });

  describe('a part', () => {
    it.each([
      [{ text: '' }, { text: '' }],
      [{ url: 'https://example.com/ü' }, { url: 'https://example.com/ü' }],
      [{ data: null }, { data: null }],
      [{ data: false }, { data: false }],
      [{ data: 0 }, { data: 0 }],
      [{ data: [] }, { data: [] }],
      [{ raw: '' }, { raw: '' }],
      [{ raw: '+/8=' }, { raw: '+/8=' }],
      [{ raw: '-_8' }, { raw: '+/8=' }],
      [{ raw: '-_8=' }, { raw: '+/8=' }],
      [{ raw: 'aGk' }, { raw: 'aGk=' }],
      [{ kind: 'text', text: 'hi' }, { text: 'hi' }],
    ])('%j is %j', (part, expected) => {
      expect(parsePart(part)).toEqual(expected);
    });

    it.each([
      [{}, 'message.parts[0]'],
      [{ metadata: {} }, 'message.parts[0]'],
      [{ text: null }, 'message.parts[0]'],
      [{ text: 'a', data: null }, 'message.parts[0]'],
      [{ text: '', raw: '' }, 'message.parts[0]'],
      [{ text: ['a'] }, 'message.parts[0].text'],
      [{ url: 1 }, 'message.parts[0].url'],
      [{ raw: 1 }, 'message.parts[0].raw'],
      [{ raw: 'a' }, 'message.parts[0].raw'],
      [{ raw: 'aGk==' }, 'message.parts[0].raw'],
      [{ raw: 'a b=' }, 'message.parts[0].raw'],
      [{ raw: '+_8=' }, 'message.parts[0].raw'],
      [{ text: 'a', filename: 1 }, 'message.parts[0].filename'],
      [{ text: 'a', mediaType: {} }, 'message.parts[0].mediaType'],
      [{ text: 'a', metadata: [] }, 'message.parts[0].metadata'],
      [{ data: { n: JSON.parse('1e400') as number } }, 'message.parts[0].data'],
    ])('refuses %j at %s', (part, field) => {
      expect(faultyMessageFields({ parts: [part] })).toEqual([field]);
    });
  });

  describe('text, keys and ids', () => {
    const ODD = '\0 \ud800 😀 \r\n \u2028 \udfff';

    it('keeps any character in text and metadata', () => {
      const fields = { parts: [{ text: ODD, filename: ODD }, { data: { [ODD]: ODD } }], metadata: { [ODD]: [ODD] } };
      expect(parseMessage(JSON.parse(JSON.stringify(fields)) as object)).toEqual({ ...MESSAGE, ...fields });
    });

    it('keeps __proto__ as data and pollutes nothing', () => {
      const text = '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}';
      const message = parseMessage({ metadata: JSON.parse(text) as object, parts: [{ data: JSON.parse(text) as object }] });
      expect(JSON.stringify(message.metadata)).toBe(text);
      expect(JSON.stringify(message.parts[0]?.data)).toBe(text);
      expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    });

    it('reads nothing through a __proto__ key', () => {
      const message = JSON.parse('{"__proto__":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}}') as object;
      expect(faultyFields({ message })).toEqual(['message.messageId', 'message.role', 'message.parts']);
    });

    it.each(['a\0b', '\ud800', 'a\udc00', 'x'.repeat(257)])('refuses the id %j everywhere', (id) => {
      const request = {
        tenant: id,
        message: { ...MESSAGE, messageId: id, contextId: id, taskId: id, referenceTaskIds: ['ok', id] },
        configuration: { taskPushNotificationConfig: { url: 'http://example.com', id } },
      };
      expect(faultyFields(request)).toEqual([
        'tenant',
        'message.messageId',
        'message.contextId',
        'message.taskId',
        'message.referenceTaskIds[1]',
        'configuration.taskPushNotificationConfig.id',
      ]);
    });

    it.each(['😀', 'ü/%2F:?#', ' ', 'x'.repeat(256)])('accepts the id %j', (id) => {
      expect(parseMessage({ messageId: id }).messageId).toBe(id);
    });
  });

  describe('limits', () => {
    const many = (length: number, item: unknown) => Array.from({ length }, () => item);

    it.each([
      [
        ' (limit MAX_PARTS)',
        { parts: many(DEFAULT_LIMITS.maxParts, { text: 'x' }) },
        { parts: many(DEFAULT_LIMITS.maxParts + 1, { text: 'x' }) },
      ],
      [' (limit MAX_ID_LENGTH)', { messageId: 'x'.repeat(256) }, { messageId: 'x'.repeat(257) }],
      ['must have at most 100 elements', { extensions: many(100, 'x') }, { extensions: many(101, 'x') }],
      ['must have at most 100 elements', { referenceTaskIds: many(100, 'x') }, { referenceTaskIds: many(101, 'x') }],
      [' (limit MAX_METADATA_DEPTH)', { metadata: nested(30) }, { metadata: nested(31) }],
      [' (limit MAX_METADATA_DEPTH)', { parts: [{ data: nested(30) }] }, { parts: [{ data: nested(31) }] }],
      [
        ' (limit MAX_METADATA_DEPTH)',
        { parts: [{ text: '', metadata: nested(30) }] },
        { parts: [{ text: '', metadata: nested(31) }] },
      ],
    ])('is told with "%s" when it is exceeded, and not before', (told, allowed, exceeding) => {
      expect(violationsOf(() => parseMessage(allowed))).toEqual([]);
      expect(violationsOf(() => parseMessage(exceeding))).toEqual([expect.stringMatching(`${told.replace(/[()]/g, '\\$&')}$`)]);
    });

    it('can be set', () => {
      const limits = { ...DEFAULT_LIMITS, maxParts: 1 };
      const request = { message: { ...MESSAGE, parts: [{ text: 'a' }, { text: 'b' }] } };
      expect(violationsOf(() => parseSendMessageRequest(request, limits))).toEqual([
        'message.parts: must have at most 1 elements (limit MAX_PARTS)',
      ]);
    });

    it('refuses a million brackets without exhausting the stack', () => {
      const data = JSON.parse('['.repeat(1e6) + ']'.repeat(1e6)) as unknown;
      expect(faultyMessageFields({ parts: [{ data }] })).toEqual(['message.parts[0].data']);
    });
  });

  it('ignores the blocking flag of 0.3', () => {
    expect(parseSendMessageRequest({ message: MESSAGE, configuration: { blocking: false } }).configuration).toEqual({});
  });
});
