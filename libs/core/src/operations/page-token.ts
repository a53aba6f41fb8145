import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { InvalidParamsError, type ListTasksRequest } from '#protocol';
import type { CallContext } from '../call-context.js';
import type { ListPosition } from '../ports/task-store.js';

const SIGNATURE_BYTES = 16;

/**
 * Cursors of ListTasks: opaque, signed with a key that all replicas share, and bound to the caller and the filters that
 * they were made for. Page size and view may change from page to page.
 */
export class PageTokens {
  constructor(private readonly key: Buffer) {}

  write(ctx: CallContext, request: ListTasksRequest, position: ListPosition): string {
    const body = Buffer.from(JSON.stringify([position.statusTimestamp, position.taskId, filtersOf(ctx, request)]));
    return Buffer.concat([this.#sign(body), body]).toString('base64url');
  }

  /** Throws InvalidParamsError for a token that was not made here, or was made for other filters. */
  read(ctx: CallContext, request: ListTasksRequest): ListPosition | undefined {
    if (request.pageToken === undefined || request.pageToken === '') return undefined;
    const bytes = Buffer.from(request.pageToken, 'base64url');
    const body = bytes.subarray(SIGNATURE_BYTES);
    if (bytes.length <= SIGNATURE_BYTES || !timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), this.#sign(body))) {
      throw refused('is not a token of this host');
    }
    const [statusTimestamp, taskId, filters] = JSON.parse(body.toString()) as [number, string, string];
    if (filters !== filtersOf(ctx, request)) throw refused('was made for other filters');
    return { statusTimestamp, taskId };
  }

  #sign(body: Buffer): Buffer {
    return createHmac('sha256', this.key).update(body).digest().subarray(0, SIGNATURE_BYTES);
  }
}

const filtersOf = (
  { tenant, principal, agentId }: CallContext,
  { contextId, status, statusTimestampAfter }: ListTasksRequest,
): string =>
  createHash('sha256')
    .update(JSON.stringify([tenant, principal.id, agentId, contextId ?? null, status ?? null, statusTimestampAfter ?? null]))
    .digest('base64url')
    .slice(0, 16);

const refused = (description: string): InvalidParamsError => new InvalidParamsError([{ field: 'pageToken', description }]);
