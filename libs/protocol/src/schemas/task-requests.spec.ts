import { DEFAULT_LIMITS } from './limits.js';
import {
  parseCancelTaskRequest,
  parseGetTaskRequest,
  parseListTasksRequest,
  parseSubscribeToTaskRequest,
} from './task-requests.js';
import { faultyFieldsOf, violationsOf } from './violations.spec-support.js';

const FROM_QUERY = { fromQuery: true };
const list = (input: unknown) => parseListTasksRequest(input);
const listQuery = (input: unknown) => parseListTasksRequest(input, DEFAULT_LIMITS, FROM_QUERY);

describe('parseGetTaskRequest', () => {
  it.each([
    [{ id: 't' }, { id: 't' }],
    [
      { id: 't', tenant: 'acme', extra: 1 },
      { id: 't', tenant: 'acme' },
    ],
    [{ id: 't', tenant: '', historyLength: null }, { id: 't' }],
    [
      { id: 't', historyLength: 0 },
      { id: 't', historyLength: 0 },
    ],
    [
      { id: 't', history_length: 3 },
      { id: 't', historyLength: 3 },
    ],
    [
      { id: 't', historyLength: '10' },
      { id: 't', historyLength: 10 },
    ],
    [
      { id: 't', historyLength: '1e1' },
      { id: 't', historyLength: 10 },
    ],
    [
      { id: 't', historyLength: 2.0 },
      { id: 't', historyLength: 2 },
    ],
    [
      { id: 't', historyLength: 5_000_000_000 },
      { id: 't', historyLength: 2_147_483_647 },
    ],
    [
      { id: 't', historyLength: '99999999999999999999' },
      { id: 't', historyLength: 2_147_483_647 },
    ],
    [
      { id: 't', historyLength: Infinity },
      { id: 't', historyLength: 2_147_483_647 },
    ],
  ])('%j is %j', (input, expected) => {
    expect(parseGetTaskRequest(input)).toEqual(expected);
  });

  it.each([
    [{}, 'id'],
    [undefined, 'id'],
    [{ id: '' }, 'id'],
    [{ id: null }, 'id'],
    [{ id: 5 }, 'id'],
    [{ id: 'a\0' }, 'id'],
    [{ id: 't', historyLength: -1 }, 'historyLength'],
    [{ id: 't', historyLength: '-1' }, 'historyLength'],
    [{ id: 't', historyLength: 1.5 }, 'historyLength'],
    [{ id: 't', historyLength: '' }, 'historyLength'],
    [{ id: 't', historyLength: ' 1' }, 'historyLength'],
    [{ id: 't', historyLength: '0x10' }, 'historyLength'],
    [{ id: 't', historyLength: true }, 'historyLength'],
    [{ id: 't', historyLength: NaN }, 'historyLength'],
    [{ id: 't', historyLength: [1] }, 'historyLength'],
    [{ id: 't', tenant: 1 }, 'tenant'],
  ])('refuses %j at %s', (input, field) => {
    expect(faultyFieldsOf(() => parseGetTaskRequest(input))).toEqual([field]);
  });

  it('reads a query string', () => {
    expect(parseGetTaskRequest({ id: 't', historyLength: '0' }, DEFAULT_LIMITS, FROM_QUERY)).toEqual({
      id: 't',
      historyLength: 0,
    });
    expect(parseGetTaskRequest({ id: 't', historyLength: '' }, DEFAULT_LIMITS, FROM_QUERY)).toEqual({ id: 't' });
  });
});

describe('parseListTasksRequest', () => {
  it.each([undefined, null, {}])('%j filters nothing', (input) => {
    expect(list(input)).toEqual({});
  });

  it.each([
    [{ contextId: '', pageToken: '', tenant: '' }, {}],
    [{ status: 'TASK_STATE_WORKING' }, { status: 'TASK_STATE_WORKING' }],
    [{ status: 2 }, { status: 'TASK_STATE_WORKING' }],
    [{ status: 8 }, { status: 'TASK_STATE_AUTH_REQUIRED' }],
    [{ status: 'TASK_STATE_UNSPECIFIED' }, {}],
    [{ status: 0 }, {}],
    [{ status: null }, {}],
    [{ pageSize: 1 }, { pageSize: 1 }],
    [{ page_size: '100' }, { pageSize: 100 }],
    [{ includeArtifacts: false }, { includeArtifacts: false }],
    [{ statusTimestampAfter: '2025-10-28T12:30:00+02:00' }, { statusTimestampAfter: '2025-10-28T10:30:00.000Z' }],
    [{ status_timestamp_after: '2025-10-28T10:30:00Z' }, { statusTimestampAfter: '2025-10-28T10:30:00.000Z' }],
    [{ lastUpdatedAfter: '2025-10-28T10:30:00Z' }, { statusTimestampAfter: '2025-10-28T10:30:00.000Z' }],
    [
      { contextId: 'c', pageToken: 'p', historyLength: 2, unknown: 1 },
      { contextId: 'c', pageToken: 'p', historyLength: 2 },
    ],
  ])('%j is %j', (input, expected) => {
    expect(list(input)).toEqual(expected);
  });

  it.each([
    [[], ''],
    [{ status: 'TASK_STATE_RUNNING' }, 'status'],
    [{ status: 'working' }, 'status'],
    [{ status: 'constructor' }, 'status'],
    [{ status: '2' }, 'status'],
    [{ status: 9 }, 'status'],
    [{ status: -1 }, 'status'],
    [{ status: {} }, 'status'],
    [{ pageSize: 0 }, 'pageSize'],
    [{ pageSize: 101 }, 'pageSize'],
    [{ pageSize: -5 }, 'pageSize'],
    [{ pageSize: 5_000_000_000 }, 'pageSize'],
    [{ pageSize: 'many' }, 'pageSize'],
    [{ historyLength: -1 }, 'historyLength'],
    [{ includeArtifacts: 'true' }, 'includeArtifacts'],
    [{ includeArtifacts: 1 }, 'includeArtifacts'],
    [{ statusTimestampAfter: 1_700_000_000 }, 'statusTimestampAfter'],
    [{ statusTimestampAfter: 'yesterday' }, 'statusTimestampAfter'],
    [{ statusTimestampAfter: '' }, 'statusTimestampAfter'],
    [{ lastUpdatedAfter: 'junk' }, 'lastUpdatedAfter'],
    [{ contextId: 'a\0' }, 'contextId'],
    [{ pageToken: 3 }, 'pageToken'],
  ])('refuses %j at %j', (input, field) => {
    expect(faultyFieldsOf(() => list(input))).toEqual([field]);
  });

  it('names the limit, the range and what was sent', () => {
    expect(violationsOf(() => list({ pageSize: 150 }))).toEqual(['pageSize: must be 1 to 100, got 150']);
  });

  it('reads a query string', () => {
    const query = { status: '3', pageSize: '10', historyLength: '0', includeArtifacts: 'true', contextId: 'c', pageToken: '' };
    expect(listQuery(query)).toEqual({
      contextId: 'c',
      status: 'TASK_STATE_COMPLETED',
      pageSize: 10,
      historyLength: 0,
      includeArtifacts: true,
    });
    expect(listQuery({ includeArtifacts: 'false', status: '', statusTimestampAfter: '' })).toEqual({ includeArtifacts: false });
    expect(faultyFieldsOf(() => listQuery({ includeArtifacts: 'yes', pageSize: 'x', status: '9' }))).toEqual([
      'status',
      'pageSize',
      'includeArtifacts',
    ]);
  });

  it('refuses a query parameter that came twice', () => {
    expect(violationsOf(() => listQuery({ contextId: ['a', 'b'] }))).toEqual(['contextId: is given more than once']);
  });
});

describe('parseCancelTaskRequest', () => {
  it('keeps the metadata', () => {
    expect(parseCancelTaskRequest({ id: 't', metadata: { reason: 'late' } })).toEqual({ id: 't', metadata: { reason: 'late' } });
    expect(parseCancelTaskRequest({ id: 't', metadata: null })).toEqual({ id: 't' });
  });

  it('refuses what is not there or no object', () => {
    expect(faultyFieldsOf(() => parseCancelTaskRequest({ metadata: 'x' }))).toEqual(['id', 'metadata']);
  });
});

describe('parseSubscribeToTaskRequest', () => {
  it('needs an id', () => {
    expect(parseSubscribeToTaskRequest({ id: 't', tenant: 'acme' })).toEqual({ id: 't', tenant: 'acme' });
    expect(faultyFieldsOf(() => parseSubscribeToTaskRequest({}))).toEqual(['id']);
  });
});
