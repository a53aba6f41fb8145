import {
  parseDeleteTaskPushNotificationConfigRequest,
  parseGetExtendedAgentCardRequest,
  parseGetTaskPushNotificationConfigRequest,
  parseListTaskPushNotificationConfigsRequest,
  parseTaskPushNotificationConfig,
} from './push-config-requests.js';
import { faultyFieldsOf } from './violations.spec-support.js';

describe('parseTaskPushNotificationConfig', () => {
  it('keeps what the proto has', () => {
    const config = {
      tenant: 'acme',
      id: 'p',
      taskId: 't',
      url: 'https://example.com/hook?a=b',
      token: 'secret',
      authentication: { scheme: 'Bearer', credentials: 'abc' },
    };
    expect(parseTaskPushNotificationConfig({ ...config, extra: 1 })).toEqual(config);
  });

  it.each<[object, string[]]>([
    [{}, ['taskId', 'url']],
    [{ taskId: 't', url: '' }, ['url']],
    [{ taskId: 't', url: 'example.com' }, ['url']],
    [{ taskId: 't', url: 'file:///etc/passwd' }, ['url']],
    [{ taskId: 't', url: 'http://a', authentication: 'Bearer' }, ['authentication']],
    [
      { taskId: 't', url: 'http://a', authentication: { credentials: 1 } },
      ['authentication.credentials', 'authentication.scheme'],
    ],
    [{ taskId: 't', url: 'http://a', token: 1 }, ['token']],
    [{ taskId: 't', url: `http://a/${'x'.repeat(2048)}` }, ['url']],
    [{ taskId: 't', url: 'http://a/\ud800' }, ['url']],
    ...['a\r\nX-Evil: 1', 'ü', ' a', 'a ', '\t', 'x'.repeat(4097)].flatMap((secret): [object, string[]][] => [
      [{ taskId: 't', url: 'http://a', token: secret }, ['token']],
      [
        { taskId: 't', url: 'http://a', authentication: { scheme: 'Basic', credentials: secret } },
        ['authentication.credentials'],
      ],
    ]),
    ...['a b', 'Bearer\n', 'ü', 'x'.repeat(65)].map((scheme): [object, string[]] => [
      { taskId: 't', url: 'http://a', authentication: { scheme } },
      ['authentication.scheme'],
    ]),
  ])('refuses %j', (input, fields) => {
    expect(faultyFieldsOf(() => parseTaskPushNotificationConfig(input)).sort()).toEqual(fields);
  });
});

describe.each([
  ['parseGetTaskPushNotificationConfigRequest', parseGetTaskPushNotificationConfigRequest],
  ['parseDeleteTaskPushNotificationConfigRequest', parseDeleteTaskPushNotificationConfigRequest],
])('%s', (_, parse) => {
  it('needs the task and the configuration', () => {
    expect(parse({ task_id: 't', id: 'p' })).toEqual({ taskId: 't', id: 'p' });
    expect(faultyFieldsOf(() => parse({ tenant: 'acme' }))).toEqual(['taskId', 'id']);
  });
});

describe('parseListTaskPushNotificationConfigsRequest', () => {
  it('takes a page size of 0 for the default one', () => {
    expect(parseListTaskPushNotificationConfigsRequest({ taskId: 't', pageSize: 0, pageToken: '' })).toEqual({ taskId: 't' });
    expect(parseListTaskPushNotificationConfigsRequest({ taskId: 't', pageSize: 5, pageToken: 'x' })).toEqual({
      taskId: 't',
      pageSize: 5,
      pageToken: 'x',
    });
    expect(faultyFieldsOf(() => parseListTaskPushNotificationConfigsRequest({ pageSize: -1 }))).toEqual(['taskId', 'pageSize']);
  });
});

describe('parseGetExtendedAgentCardRequest', () => {
  it('needs nothing', () => {
    expect(parseGetExtendedAgentCardRequest(undefined)).toEqual({});
    expect(parseGetExtendedAgentCardRequest({ tenant: 'acme' })).toEqual({ tenant: 'acme' });
  });
});
