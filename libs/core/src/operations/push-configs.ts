import {
  InvalidParamsError,
  PushNotificationNotSupportedError,
  TaskNotFoundError,
  type DeleteTaskPushNotificationConfigRequest,
  type GetTaskPushNotificationConfigRequest,
  type ListTaskPushNotificationConfigsRequest,
  type ListTaskPushNotificationConfigsResponse,
  type TaskPushNotificationConfig,
  type WireText,
} from '#protocol';
import type { CallContext } from '../call-context.js';
import type { EventPublisher } from '../execution/event-publisher.js';
import { newId } from '../new-id.js';
import type { PushConfig, PushConfigDraft, PushConfigStore } from '../ports/push-config-store.js';
import { EVERY_EVENT_EXTENSION } from '../push/every-event.js';
import { protectSecrets } from '../push/protect-secrets.js';
import type { SecretBox } from '../push/sealed-secrets.js';
import type { SignedPositions } from './signed-position.js';

/** Says which URLs may be called, without asking anyone. */
export interface ReceiverRules {
  /** The URL's origin, or why it may not be called, in words for whoever wrote it. */
  inspect(url: string): { readonly origin: string } | { readonly refused: string };
}

/** What a host needs that offers push notifications. */
export interface PushSetup {
  readonly store: PushConfigStore;
  readonly box: SecretBox;
  readonly receivers: ReceiverRules;
  /** Most configurations of a task. */
  readonly most: number;
}

/** All that a task can have, whatever the limit is now: clients of 0.3 know no pages. */
const WHOLE_LIST = 1000;

/**
 * The operations on push notification configurations (sections 3.1.7 to 3.1.10), and the configuration that comes with a message.
 * Answers leave secrets out: clients write back what they were answered, so a mask would overwrite them. Each rejects with
 * PushNotificationNotSupportedError where there is no setup.
 */
export class PushConfigs {
  constructor(
    private readonly setup: PushSetup | undefined,
    private readonly positions: SignedPositions,
    private readonly publisher: Pick<EventPublisher, 'hintPush'>,
  ) {}

  /** Makes one, or puts it in the place of the one with its id. Throws TaskNotFoundError. */
  async create(ctx: CallContext, config: TaskPushNotificationConfig): Promise<WireText<TaskPushNotificationConfig>> {
    const { store } = this.#offered;
    const taskId = config.taskId as string;
    const draft = this.#draft(ctx, { ...config, taskId, id: config.id ?? newId() }, '');
    const result = await store.put(ctx, taskId, draft);
    if (result.outcome === 'not-found') throw new TaskNotFoundError(taskId);
    if (result.outcome === 'too-many') throw tooManyPushConfigs('');
    if (result.owed) this.publisher.hintPush(taskId);
    const scheme = config.authentication?.scheme;
    return JSON.stringify(answerOf({ taskId, id: draft.id, url: draft.url, ...(scheme === undefined ? {} : { scheme }) }));
  }

  /** Throws TaskNotFoundError, also for a configuration that is not there. */
  async get(
    ctx: CallContext,
    { taskId, id }: GetTaskPushNotificationConfigRequest,
  ): Promise<WireText<TaskPushNotificationConfig>> {
    const config = await this.#offered.store.get(ctx, taskId, id);
    if (!config) throw new TaskNotFoundError(taskId);
    return JSON.stringify(answerOf(config));
  }

  /** By id; all of them, unless a page is asked for. Throws TaskNotFoundError. */
  async list(
    ctx: CallContext,
    { taskId, pageSize, pageToken }: ListTaskPushNotificationConfigsRequest,
  ): Promise<WireText<ListTaskPushNotificationConfigsResponse>> {
    const { store } = this.#offered;
    const list = ['pushNotificationConfigs', taskId];
    const [after] = (this.positions.read(ctx, list, pageToken) ?? []) as [string?];
    const page = await store.list(ctx, taskId, { ...(after === undefined ? {} : { after }), limit: pageSize ?? WHOLE_LIST });
    if (!page) throw new TaskNotFoundError(taskId);
    const last = page.more ? page.configs.at(-1) : undefined;
    const nextPageToken = last ? this.positions.write(ctx, list, [last.id]) : '';
    return JSON.stringify({ configs: page.configs.map(answerOf), nextPageToken });
  }

  /** It is not there afterwards, whether it was or not. Throws TaskNotFoundError for the task alone. */
  async delete(ctx: CallContext, { taskId, id }: DeleteTaskPushNotificationConfigRequest): Promise<string> {
    if (!(await this.#offered.store.delete(ctx, taskId, id))) throw new TaskNotFoundError(taskId);
    return '{}';
  }

  /**
   * The configuration that comes with a message to `taskId`, whatever task it names itself. Without an id it has its task's: clients
   * send one with each message of a conversation, and mean one receiver. Throws InvalidParamsError.
   */
  inlineDraft(ctx: CallContext, taskId: string, config: TaskPushNotificationConfig): PushConfigDraft {
    return this.#draft(ctx, { ...config, taskId, id: config.id ?? taskId }, `${INLINE_PUSH_CONFIG}.`);
  }

  /** Throws PushNotificationNotSupportedError. */
  requireOffered(): void {
    if (!this.setup) throw new PushNotificationNotSupportedError();
  }

  get #offered(): PushSetup {
    if (!this.setup) throw new PushNotificationNotSupportedError();
    return this.setup;
  }

  #draft(
    { extensions, protocolVersion }: CallContext,
    config: TaskPushNotificationConfig & { readonly taskId: string; readonly id: string },
    prefix: string,
  ): PushConfigDraft {
    const { box, receivers, most } = this.#offered;
    const { taskId, id, url } = config;
    const inspected = receivers.inspect(url);
    if ('refused' in inspected) throw new InvalidParamsError([{ field: `${prefix}url`, description: inspected.refused }]);
    const { origin: receiver } = inspected;
    const everyEvent = extensions.includes(EVERY_EVENT_EXTENSION);
    return {
      ...{ id, url, receiver, everyEvent, protocolVersion: protocolVersion ?? '1.0', most },
      protect: (kept) => protectSecrets(box, config, { taskId, id, receiver, prefix }, kept),
    };
  }
}

/** Where it stands in a request that sends a message. */
export const INLINE_PUSH_CONFIG = 'configuration.taskPushNotificationConfig';

export const tooManyPushConfigs = (field: string): InvalidParamsError =>
  new InvalidParamsError([{ field, description: 'is one more than a task may have (limit MAX_PUSH_CONFIGS)' }]);

const answerOf = ({ taskId, id, url, scheme }: PushConfig): TaskPushNotificationConfig => ({
  ...{ taskId, id, url },
  ...(scheme === undefined ? {} : { authentication: { scheme } }),
});
