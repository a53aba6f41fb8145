import { toHttpErrorBody, toJsonRpcError } from './error-body.js';
import {
  type A2AError,
  ContentTypeNotSupportedError,
  ERROR_TABLE,
  InternalError,
  InvalidParamsError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from './errors.js';
import type { ErrorName } from './errors.js';

describe('the error table', () => {
  it.each<[ErrorName, number, string, number, string]>([
    ['TaskNotFoundError', -32001, 'NOT_FOUND', 404, 'TASK_NOT_FOUND'],
    ['TaskNotCancelableError', -32002, 'FAILED_PRECONDITION', 400, 'TASK_NOT_CANCELABLE'],
    ['PushNotificationNotSupportedError', -32003, 'FAILED_PRECONDITION', 400, 'PUSH_NOTIFICATION_NOT_SUPPORTED'],
    ['UnsupportedOperationError', -32004, 'FAILED_PRECONDITION', 400, 'UNSUPPORTED_OPERATION'],
    ['ContentTypeNotSupportedError', -32005, 'INVALID_ARGUMENT', 400, 'CONTENT_TYPE_NOT_SUPPORTED'],
    ['InvalidAgentResponseError', -32006, 'INTERNAL', 500, 'INVALID_AGENT_RESPONSE'],
    ['ExtendedAgentCardNotConfiguredError', -32007, 'FAILED_PRECONDITION', 400, 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'],
    ['ExtensionSupportRequiredError', -32008, 'FAILED_PRECONDITION', 400, 'EXTENSION_SUPPORT_REQUIRED'],
    ['VersionNotSupportedError', -32009, 'FAILED_PRECONDITION', 400, 'VERSION_NOT_SUPPORTED'],
  ])('maps %s as section 5.4 does', (name, code, grpc, http, reason) => {
    expect(ERROR_TABLE[name]).toEqual({ code, grpc, http, reason, domain: 'a2a-protocol.org' });
  });

  it.each(Object.keys(ERROR_TABLE) as ErrorName[])('has a reason for %s that ErrorInfo allows', (name) => {
    expect(ERROR_TABLE[name].reason).toMatch(/^[A-Z][A-Z0-9_]+[A-Z0-9]$/);
  });
});

describe('toJsonRpcError', () => {
  it('is the example of section 9.5', () => {
    expect(toJsonRpcError(new TaskNotFoundError('t-1'))).toEqual({
      code: -32001,
      message: 'Task not found',
      data: [
        {
          '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
          reason: 'TASK_NOT_FOUND',
          domain: 'a2a-protocol.org',
          metadata: { taskId: 't-1' },
        },
      ],
    });
  });

  it('carries the violations beside the ErrorInfo', () => {
    const violations = [{ field: 'message.parts', description: 'must have at least one element' }];
    for (const error of [new InvalidParamsError(violations), new ContentTypeNotSupportedError('No', violations)]) {
      expect(toJsonRpcError(error).data).toEqual([
        expect.objectContaining({ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: error.row.reason }),
        { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations },
      ]);
    }
  });

  it('has no metadata when there is none', () => {
    expect(JSON.stringify(toJsonRpcError(new UnsupportedOperationError('x')))).not.toContain('metadata');
  });
});

describe('toHttpErrorBody', () => {
  it('is the example of section 11.6', () => {
    expect(toHttpErrorBody(new TaskNotFoundError('t-1'))).toEqual({
      error: {
        code: 404,
        status: 'NOT_FOUND',
        message: 'Task not found',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'TASK_NOT_FOUND',
            domain: 'a2a-protocol.org',
            metadata: { taskId: 't-1' },
          },
        ],
      },
    });
  });

  it('shows of an unexpected error its id only', () => {
    const error: A2AError = new InternalError('e-7');
    expect(toHttpErrorBody(error).error).toMatchObject({ code: 500, status: 'INTERNAL', message: 'Internal error e-7' });
    expect(error.row.code).toBe(-32603);
  });
});
