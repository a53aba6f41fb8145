import { A2AError, ERROR_TABLE, InvalidParamsError, type ErrorName, type Form } from '#protocol';
import { namedFor, v03ErrorBody } from './error-body.js';

describe('v03ErrorBody', () => {
  it.each(Object.keys(ERROR_TABLE) as ErrorName[])('%s has the code of its row, and its reason as data', (name) => {
    const { code, reason, domain } = ERROR_TABLE[name];
    expect(v03ErrorBody(new A2AError(name, 'what it is'), 'kind')).toEqual({
      code,
      message: 'what it is',
      data: { reason, domain },
    });
    expect(v03ErrorBody(new A2AError(name, 'x', { taskId: 't' }), 'proto').data.metadata).toEqual({ taskId: 't' });
  });

  it.each<[Form, string, string]>([
    ['kind', 'message.parts', 'message.parts'],
    ['kind', 'message.parts[0]', 'message.parts[0]'],
    ['kind', 'message.parts[12].raw', 'message.parts[12].file.bytes'],
    ['kind', 'message.parts[0].url', 'message.parts[0].file.uri'],
    ['kind', 'message.parts[0].filename', 'message.parts[0].file.name'],
    ['kind', 'message.parts[0].mediaType', 'message.parts[0].file.mimeType'],
    ['kind', 'configuration.returnImmediately', 'configuration.blocking'],
    ['kind', 'configuration.taskPushNotificationConfig.url', 'configuration.pushNotificationConfig.url'],
    ['kind', 'message.metadata.raw', 'message.metadata.raw'],
    ['proto', 'message.parts', 'message.content'],
    ['proto', 'message.parts[3]', 'message.content[3]'],
    ['proto', 'message.parts[0].raw', 'message.content[0].file.fileWithBytes'],
    ['proto', 'message.parts[0].url', 'message.content[0].file.fileWithUri'],
    ['proto', 'message.parts[0].filename', 'message.content[0].file.name'],
    ['proto', 'message.parts[0].mediaType', 'message.content[0].file.mimeType'],
    ['proto', 'configuration.returnImmediately', 'configuration.blocking'],
    ['proto', 'configuration.taskPushNotificationConfig', 'configuration.pushNotification'],
    ['proto', 'historyLength', 'historyLength'],
  ])('clients of the form %s know %s as %s', (form, field, expected) => {
    const { message, data } = v03ErrorBody(new InvalidParamsError([{ field, description: 'is wrong' }]), form);
    expect(data.fieldViolations).toEqual([{ field: expected, description: 'is wrong' }]);
    expect(message).toContain(expected);
  });

  it.each<[Form, string, string]>([
    ['kind', 'must be ROLE_USER', 'must be user'],
    ['proto', 'must be ROLE_USER', 'must be ROLE_USER'],
    ['kind', 'must have exactly one of text, raw, url and data', 'file (bytes or uri)'],
    ['proto', 'must have exactly one of text, raw, url and data', 'file (fileWithBytes or fileWithUri)'],
  ])('says in the words of the form %s: %s', (form, description, expected) => {
    const named = namedFor(new InvalidParamsError([{ field: 'message.parts[0]', description }]), form);
    expect(named.fieldViolations[0]?.description).toContain(expected);
    expect(named.fieldViolations[0]?.description).not.toContain('raw');
  });
});
