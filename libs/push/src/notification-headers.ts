import { randomBytes } from 'node:crypto';
import type { Notification, PushSecrets } from '#core';

/** What tells one notification from another however often it is sent. */
export const ID_HEADER = 'X-A2A-Notification-Id';
export const SIGNATURE_HEADER = 'X-A2A-Notification-Signature';
/** The name that clients of A2A 0.3 look for; 1.0 names none. */
const TOKEN_HEADER = 'X-A2A-Notification-Token';

/** RFC 9110, 5.5. */
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The headers of a notification; undefined when a secret of its receiver cannot stand in one. */
export function notificationHeaders(
  { id, taskId, contentType, scheme }: Notification,
  { token, credentials }: PushSecrets,
  signature: string,
): Record<string, string> | undefined {
  const headers: Record<string, string> = {
    ...{ 'Content-Type': contentType, [ID_HEADER]: id, [SIGNATURE_HEADER]: signature },
    ...traceOf(taskId),
  };
  // A scheme alone proves nothing.
  if (scheme !== undefined && credentials !== undefined) headers['Authorization'] = `${scheme} ${credentials}`;
  if (token !== undefined) headers[TOKEN_HEADER] = token;
  return Object.values(headers).every((value) => FIELD_VALUE.test(value)) ? headers : undefined;
}

/**
 * The trace of a task has the task's id, so that whoever logs the trace of what it receives finds all that was sent of one task. Nothing
 * was recorded of it here, which the flags say (W3C Trace Context).
 */
function traceOf(taskId: string): { traceparent?: string } {
  const trace = taskId.replaceAll('-', '').toLowerCase();
  if (!/^(?!0{32})[0-9a-f]{32}$/.test(trace)) return {};
  return { traceparent: `00-${trace}-${randomBytes(8).toString('hex')}-00` };
}
