import type {
  ListTaskPushNotificationConfigsResponse,
  SendMessageResponse,
  Task,
  TaskPushNotificationConfig,
  AnswerForm,
} from '#protocol';
import type { V03Operation } from './read-request.js';

/** Operations whose answer is a stream, or a card, which has forms of its own. */
type Written = Exclude<V03Operation, 'sendStreamingMessage' | 'subscribeToTask' | 'getExtendedAgentCard'>;

const WRITERS: Readonly<Record<Written, (form: AnswerForm, text: string) => object | null>> = Object.freeze({
  sendMessage: (form, text) => form.sendResponse(JSON.parse(text) as SendMessageResponse),
  getTask: (form, text) => form.task(JSON.parse(text) as Task),
  cancelTask: (form, text) => form.task(JSON.parse(text) as Task),
  createTaskPushNotificationConfig: (form, text) => form.pushConfig(JSON.parse(text) as TaskPushNotificationConfig),
  getTaskPushNotificationConfig: (form, text) => form.pushConfig(JSON.parse(text) as TaskPushNotificationConfig),
  listTaskPushNotificationConfigs: (form, text) =>
    form.pushConfigs((JSON.parse(text) as ListTaskPushNotificationConfigsResponse).configs ?? []),
  deleteTaskPushNotificationConfig: (form) => form.deleted,
});

/** The text of a 1.0 result as JSON text of `form`. */
export const writeAnswer = (operation: Written, text: string, form: AnswerForm): string =>
  JSON.stringify(WRITERS[operation](form, text));

export const isWritten = (operation: string): operation is Written => Object.hasOwn(WRITERS, operation);
