import { EventBus, SILENT, type BusListener, type BusMessage, type Channel, type Logger, type Subscription } from '#core';
import type { Redis } from 'ioredis';
import { encodeMessage } from './bus-codec.js';
import { connect, ready } from './connection.js';
import { inTime } from './deadline.js';
import { oneWritePerTick } from './one-write-per-tick.js';
import { Outbox } from './outbox.js';
import { Subscriptions } from './subscriptions.js';

/** Larger events are read from the store: Redis copies a message once per subscriber. */
const MAX_MESSAGE_BYTES = 64 * 1024;

export interface RedisEventBusOptions {
  readonly url: string;
  /** Without one the bus is silent. */
  readonly logger?: Logger;
  /** Before every channel name; systems with different prefixes do not hear each other. */
  readonly prefix?: string;
  /** Name of the connections in CLIENT LIST. */
  readonly connectionName?: string;
}

/** The event bus on Redis PUBLISH and SUBSCRIBE, with a connection for each. */
export class RedisEventBus extends EventBus {
  readonly #publisher: Redis;
  readonly #subscriptions: Subscriptions;
  readonly #prefix: string;
  readonly #outbox = new Outbox((messages) => this.#send(messages));
  #closed = false;

  constructor({ url, logger = SILENT, prefix = 'chorus', connectionName = 'chorus' }: RedisEventBusOptions) {
    super();
    this.#prefix = `${prefix}:`;
    this.#publisher = oneWritePerTick(connect(url, logger, { connectionName: `${connectionName}:publish` }));
    this.#subscriptions = new Subscriptions(url, logger, `${connectionName}:subscribe`);
  }

  override async publish(channels: readonly Channel[], message: BusMessage): Promise<void> {
    this.#refuseWhenClosed();
    if (channels.length === 0) return;
    let text = encodeMessage(message);
    if (message.type === 'events' && Buffer.byteLength(text) > MAX_MESSAGE_BYTES) {
      text = encodeMessage({ type: 'head', taskId: message.taskId, sequence: message.events.at(-1)?.sequence ?? 0 });
    }
    await this.#outbox.add(channels, text);
  }

  override async subscribe(channel: Channel, listener: BusListener): Promise<Subscription> {
    this.#refuseWhenClosed();
    const name = this.#prefix + channel;
    // The same listener may be given twice: each subscription has an identity of its own.
    const own: BusListener = {
      onMessage: (message) => listener.onMessage(message),
      onResubscribed: () => listener.onResubscribed(),
    };
    await this.#subscriptions.add(name, own);
    return { close: async () => this.#subscriptions.remove(name, own) };
  }

  override async healthy(): Promise<boolean> {
    if (this.#closed || !this.#subscriptions.ready) return false;
    return inTime(this.#ping(), '').catch(() => false);
  }

  override async close(): Promise<void> {
    this.#closed = true;
    this.#subscriptions.close();
    this.#publisher.disconnect();
  }

  async #ping(): Promise<true> {
    await ready(this.#publisher);
    await this.#publisher.ping();
    return true;
  }

  async #send(messages: ReadonlyMap<string, string>): Promise<void> {
    await ready(this.#publisher);
    await Promise.all([...messages].map(([channel, text]) => this.#publisher.publish(this.#prefix + channel, text)));
  }

  #refuseWhenClosed(): void {
    if (this.#closed) throw new Error('The event bus is closed');
  }
}
