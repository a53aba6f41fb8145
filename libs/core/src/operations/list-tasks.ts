import type { ListTasksRequest, ListTasksResponse, WireText } from '#protocol';
import type { CallContext } from '../call-context.js';
import type { TaskStore } from '../ports/task-store.js';
import type { PageTokens } from './page-token.js';

const DEFAULT_PAGE_SIZE = 50;

/** ListTasks (section 3.1.4): newest status first. History and artifacts only when asked for. */
export class ListTasks {
  constructor(
    private readonly store: TaskStore,
    private readonly tokens: PageTokens,
  ) {}

  async execute(ctx: CallContext, request: ListTasksRequest): Promise<WireText<ListTasksResponse>> {
    const pageSize = request.pageSize ?? DEFAULT_PAGE_SIZE;
    const view = { historyLength: request.historyLength ?? 0, artifacts: request.includeArtifacts === true };
    const after = this.tokens.read(ctx, request);
    const { tasks, last, totalSize } = await this.store.list(ctx, {
      ...(request.contextId === undefined ? {} : { contextId: request.contextId }),
      ...(request.status === undefined ? {} : { state: request.status }),
      ...(request.statusTimestampAfter === undefined ? {} : { statusTimestampAfter: Date.parse(request.statusTimestampAfter) }),
      ...(after === undefined ? {} : { after }),
      limit: pageSize,
      view,
    });
    const nextPageToken = last === undefined ? '' : this.tokens.write(ctx, request, last);
    return `{"tasks":[${tasks}],"nextPageToken":"${nextPageToken}","pageSize":${pageSize},"totalSize":${totalSize}}`;
  }
}
