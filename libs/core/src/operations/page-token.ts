import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { InvalidParamsError, type ListTasksRequest } from '#protocol';
import type { CallContext } from '../call-context.js';
import type { ListPosition } from '../ports/task-store.js';

const SIGNATURE_BYTES = 16;

/**
 * Cursors of ListTasks: opaque, signed with a key that all replicas share, and bound to the caller and the filters that
 * they were made for. Page size and view may change from page to page.
 */
export class PageTokens {
  readonly #key: KeyObject;

  constructor(key: Buffer) {
    this.#key = createSecretKey(key);
  }

  write(ctx: CallContext, request: ListTasksRequest, { statusTimestamp, taskId }: ListPosition): string {
    const body = JSON.stringify([statusTimestamp, taskId]);
    return Buffer.concat([this.#sign(body, ctx, request), Buffer.from(body)]).toString('base64url');
  }

  /** Throws InvalidParamsError for a token that was not made here, or was made for another caller or other filters. */
  read(ctx: CallContext, request: ListTasksRequest): ListPosition | undefined {
    if (request.pageToken === undefined || request.pageToken === '') return undefined;
    const bytes = Buffer.from(request.pageToken, 'base64url');
    const body = bytes.toString('utf8', SIGNATURE_BYTES);
    const signature = bytes.subarray(0, SIGNATURE_BYTES);
    if (bytes.length <= SIGNATURE_BYTES || !timingSafeEqual(signature, this.#sign(body, ctx, request))) {
      const description = 'is not a token of this host for these filters';
      throw new InvalidParamsError([{ field: 'pageToken', description }]);
    }
    const [statusTimestamp, taskId] = JSON.parse(body) as [number, string];
    return { statusTimestamp, taskId };
  }

  /** Covers the caller and the filters, which the token does not carry. */
  #sign(body: string, { tenant, principal, agentId }: CallContext, request: ListTasksRequest): Buffer {
    const { contextId = null, status = null, statusTimestampAfter = null } = request;
    return createHmac('sha256', this.#key)
      .update(JSON.stringify([body, tenant, principal.id, agentId, contextId, status, statusTimestampAfter]))
      .digest()
      .subarray(0, SIGNATURE_BYTES);
  }
}
