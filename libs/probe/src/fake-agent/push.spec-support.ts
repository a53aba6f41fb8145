import { randomUUID } from 'node:crypto';
import type { OperationName } from '../bindings/operations.js';
import { isTerminal } from '../task-shape.js';
import { at, type JsonObject } from '../wire/json.js';
import { FakeError, notFound, type Faulty } from './faults.spec-support.js';
import type { FakeTask } from './tasks.spec-support.js';

const PRIVATE = /^https?:\/\/(169\.254\.|10\.|192\.168\.|172\.16\.|\[::ffff:a9fe)/;

/** Push configurations and their delivery. */
export class FakePush {
  readonly #configs = new Map<string, JsonObject>();
  readonly #deleted = new Set<string>();

  constructor(private readonly faulty: Faulty) {}

  call(operation: OperationName, params: JsonObject): JsonObject {
    const id = String(params['id'] ?? '');
    if (operation === 'CreateTaskPushNotificationConfig') return this.#create(params);
    if (operation === 'ListTaskPushNotificationConfigs') {
      const configs = [...this.#configs.values()].filter(({ taskId }) => taskId === params['taskId']);
      return { configs: this.faulty('push.list') ? [] : configs };
    }
    if (operation === 'DeleteTaskPushNotificationConfig') {
      if (this.#deleted.has(id) && this.faulty('push.delete')) throw notFound(this.faulty);
      this.#configs.delete(id);
      this.#deleted.add(id);
      return {};
    }
    const found = this.#configs.get(id);
    if (!found) throw notFound(this.faulty);
    return this.faulty('push.get') ? { ...found, url: 'https://example.com/another' } : found;
  }

  /** Delivers every event of the task, in order. */
  follow(fake: FakeTask, { url, authentication }: JsonObject): void {
    let delivered = 0;
    let last = Promise.resolve();
    const headers = {
      'content-type': 'application/a2a+json',
      ...(!this.faulty('push.authenticates') && {
        authorization: `${String(at(authentication, 'scheme'))} ${String(at(authentication, 'credentials'))}`,
      }),
    };
    const deliver = (): void => {
      for (const { value } of fake.events.slice(delivered)) {
        delivered += 1;
        const body = JSON.stringify(
          this.faulty('push.delivers') ? { kind: 'status-update', status: fake.task['status'] } : value,
        );
        last = last.then(async () => void (await fetch(String(url), { method: 'POST', headers, body }).catch(() => undefined)));
      }
      if (isTerminal(fake.task)) fake.changed.off('event', deliver);
    };
    fake.changed.on('event', deliver);
  }

  #create(params: JsonObject): JsonObject {
    if (PRIVATE.test(new URL(String(params['url'])).href) && !this.faulty('push.private-addresses'))
      throw new FakeError('InvalidParamsError');
    const config = { ...params, id: randomUUID() };
    this.#configs.set(config.id, config);
    return this.faulty('push.create') ? { id: config.id, url: params['url'] } : config;
  }
}
