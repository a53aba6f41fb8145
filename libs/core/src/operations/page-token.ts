import type { ListTasksRequest } from '#protocol';
import type { CallContext } from '../call-context.js';
import type { ListPosition } from '../ports/task-store.js';
import { SignedPositions } from './signed-position.js';

/** Cursors of ListTasks, bound to the filters that they were made for. Page size and view may change from page to page. */
export class PageTokens {
  readonly #positions: SignedPositions;

  constructor(key: Buffer) {
    this.#positions = new SignedPositions(key);
  }

  write(ctx: CallContext, request: ListTasksRequest, { statusTimestamp, taskId }: ListPosition): string {
    return this.#positions.write(ctx, filtersOf(request), [statusTimestamp, taskId]);
  }

  /** Throws InvalidParamsError for a token that was not made here, or was made for another caller or other filters. */
  read(ctx: CallContext, request: ListTasksRequest): ListPosition | undefined {
    const position = this.#positions.read(ctx, filtersOf(request), request.pageToken);
    if (!position) return undefined;
    const [statusTimestamp, taskId] = position as [number, string];
    return { statusTimestamp, taskId };
  }
}

const filtersOf = ({ contextId, status, statusTimestampAfter }: ListTasksRequest): readonly unknown[] => [
  contextId ?? null,
  status ?? null,
  statusTimestampAfter ?? null,
];
