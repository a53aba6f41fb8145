import { TASK_STATE_NUMBERS } from '../task-state.js';
import type { CancelTaskRequest, GetTaskRequest, ListTasksRequest, SubscribeToTaskRequest } from '../types.js';
import type { FieldReader } from './field-reader.js';
import { DEFAULT_LIMITS } from './limits.js';
import type { Limits } from './limits.js';
import { parseRequest, readHistoryLength, withTenant } from './parse-request.js';
import type { ParseOptions } from './parse-request.js';
import { normaliseTimestamp } from './timestamp.js';

/** Throws InvalidParamsError with one violation per fault. */
export function parseGetTaskRequest(input: unknown, limits: Limits = DEFAULT_LIMITS, options: ParseOptions = {}): GetTaskRequest {
  return parseRequest(input, limits, options, (reader) => {
    const request: GetTaskRequest = withTenant(reader, { id: reader.requiredId('id') });
    const historyLength = readHistoryLength(reader);
    if (historyLength !== undefined) request.historyLength = historyLength;
    return request;
  });
}

/**
 * A filter that is not set is absent, so is `pageSize`, whose default the operation knows. `statusTimestampAfter` is in UTC
 * milliseconds, which `Date.parse` reads. Throws InvalidParamsError with one violation per fault.
 */
export function parseListTasksRequest(
  input: unknown,
  limits: Limits = DEFAULT_LIMITS,
  options: ParseOptions = {},
): ListTasksRequest {
  return parseRequest(input, limits, options, (reader) => {
    const request: ListTasksRequest = withTenant(reader, {});
    const contextId = reader.id('contextId');
    const status = reader.enumeration('status', 'TASK_STATE_UNSPECIFIED', TASK_STATE_NUMBERS);
    const pageSize = readPageSize(reader, 1);
    const pageToken = reader.string('pageToken');
    const historyLength = readHistoryLength(reader);
    const statusTimestampAfter = readStatusTimestampAfter(reader);
    const includeArtifacts = reader.boolean('includeArtifacts');
    if (contextId !== undefined) request.contextId = contextId;
    if (status !== undefined) request.status = status;
    if (pageSize !== undefined) request.pageSize = pageSize;
    if (pageToken !== undefined) request.pageToken = pageToken;
    if (historyLength !== undefined) request.historyLength = historyLength;
    if (statusTimestampAfter !== undefined) request.statusTimestampAfter = statusTimestampAfter;
    if (includeArtifacts !== undefined) request.includeArtifacts = includeArtifacts;
    return request;
  });
}

/** Throws InvalidParamsError with one violation per fault. */
export function parseCancelTaskRequest(
  input: unknown,
  limits: Limits = DEFAULT_LIMITS,
  options: ParseOptions = {},
): CancelTaskRequest {
  return parseRequest(input, limits, options, (reader) => {
    const request: CancelTaskRequest = withTenant(reader, { id: reader.requiredId('id') });
    const metadata = reader.struct('metadata');
    if (metadata) request.metadata = metadata;
    return request;
  });
}

/** Throws InvalidParamsError with one violation per fault. */
export function parseSubscribeToTaskRequest(
  input: unknown,
  limits: Limits = DEFAULT_LIMITS,
  options: ParseOptions = {},
): SubscribeToTaskRequest {
  return parseRequest(input, limits, options, (reader) => withTenant(reader, { id: reader.requiredId('id') }));
}

/** `pageSize` when it is `min` to the limit; a fault and absent when it is not. */
export function readPageSize(reader: FieldReader, min: number): number | undefined {
  const size = reader.integer('pageSize');
  const max = reader.limits.maxPageSize;
  if (size === undefined || (size >= min && size <= max)) return size;
  return reader.fault('pageSize', `must be ${min} to ${max}, got ${size}`);
}

/** The Go client sends the filter as `lastUpdatedAfter`, its name in a draft of the specification. */
function readStatusTimestampAfter(reader: FieldReader): string | undefined {
  for (const name of ['statusTimestampAfter', 'lastUpdatedAfter']) {
    const text = reader.text(name);
    if (text !== undefined) {
      return normaliseTimestamp(text) ?? reader.fault(name, 'must be an RFC 3339 timestamp, as 2025-10-28T10:30:00.000Z');
    }
  }
  return undefined;
}
