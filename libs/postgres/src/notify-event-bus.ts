import { EventBus, type BusListener, type BusMessage, type Channel, type Logger, type Subscription } from '#core';
import type pg from 'pg';
import { BusConnection } from './bus-connection.js';

const NOTIFY_CHANNEL = 'chorus_bus';
const DEADLINE_MS = 500;
const RECONNECT_MS = 250;
const MOST_WAITING = 10_000;
const MOST_AT_A_TIME = 500;

export interface NotifyEventBusOptions {
  /** A direct connection: LISTEN does not pass a pooler in transaction mode. */
  readonly connectionString: string;
  readonly logger: Logger;
  readonly applicationName?: string;
}

/**
 * The event bus where there is no Redis: LISTEN/NOTIFY on one connection for listening and one for notifying. A notification
 * holds 8,000 bytes, so events travel as `head` hints and their readers read the log.
 */
export class NotifyEventBus extends EventBus {
  readonly #listeners = new Map<Channel, Set<BusListener>>();
  readonly #listening: BusConnection;
  readonly #notifying: BusConnection;
  #waiting: string[] = [];
  /** Sends what waits now, once what was sent before is answered. */
  #next: Promise<void> | undefined;
  #sending: Promise<void> = Promise.resolve();
  #reconnect: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(private readonly options: NotifyEventBusOptions) {
    super();
    const { connectionString, logger, applicationName = 'chorus' } = options;
    this.#listening = new BusConnection({
      connectionString,
      logger,
      applicationName: `${applicationName} listen`,
      prepare: (client) => this.#prepareListening(client),
      onLost: () => this.#listenAgain(),
    });
    this.#notifying = new BusConnection({ connectionString, logger, applicationName: `${applicationName} notify` });
  }

  override async publish(channels: readonly Channel[], message: BusMessage): Promise<void> {
    if (this.#closed) throw new Error('The event bus is closed');
    const hint = hintOf(message);
    for (const channel of channels) this.#waiting.push(`${channel}\n${hint}`);
    // While the server hangs, the oldest hints go first: their readers have looked at the log meanwhile.
    if (this.#waiting.length > MOST_WAITING) this.#waiting.splice(0, this.#waiting.length - MOST_WAITING);
    await withDeadline((this.#next ??= this.#sendNext()), 'NOTIFY was not answered in time');
  }

  override async subscribe(channel: Channel, listener: BusListener): Promise<Subscription> {
    if (this.#closed) throw new Error('The event bus is closed');
    // The connection listens already; that it answers is the acknowledgement, and what was sent before has passed by then.
    await withDeadline(this.#ping(), 'LISTEN was not answered in time');
    const listeners = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listeners.add(listener));
    return {
      close: async () => {
        listeners.delete(listener);
        if (listeners.size === 0 && this.#listeners.get(channel) === listeners) this.#listeners.delete(channel);
      },
    };
  }

  override async healthy(): Promise<boolean> {
    if (this.#closed) return false;
    try {
      await withDeadline(this.#ping(), 'LISTEN was not answered in time');
      return true;
    } catch {
      return false;
    }
  }

  override async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#reconnect);
    this.#listeners.clear();
    await Promise.all([this.#listening.close(), this.#notifying.close()]);
  }

  /** One after the other; what comes while one is under way goes with the next. What fails is lost, as hints may be. */
  #sendNext(): Promise<void> {
    const sending = this.#sending.then(() => {
      this.#next = undefined;
      const hints = this.#waiting;
      this.#waiting = [];
      return this.#notify(hints);
    });
    this.#sending = sending.catch(() => undefined);
    return sending;
  }

  async #notify(hints: readonly string[]): Promise<void> {
    const client = await this.#notifying.get();
    try {
      for (let from = 0; from < hints.length; from += MOST_AT_A_TIME) {
        await client.query({
          name: 'notify',
          text: `select pg_notify('${NOTIFY_CHANNEL}', p) from unnest($1::text[]) p`,
          values: [hints.slice(from, from + MOST_AT_A_TIME)],
        });
      }
    } catch (error) {
      this.#notifying.discard(client);
      throw error;
    }
  }

  async #ping(): Promise<void> {
    const client = await this.#listening.get();
    await client.query('select 1').catch((error: unknown) => {
      this.#listening.discard(client);
      throw error;
    });
  }

  async #prepareListening(client: pg.Client): Promise<void> {
    client.on('notification', ({ payload }) => this.#deliver(payload ?? ''));
    await client.query(`listen ${NOTIFY_CHANNEL}`);
  }

  /** Until it works; what was sent meanwhile is lost, and every listener is told. */
  #listenAgain(): void {
    if (this.#closed || this.#listeners.size === 0) return;
    clearTimeout(this.#reconnect);
    this.#reconnect = setTimeout(() => {
      this.#listening.get().then(
        () => {
          for (const listener of [...this.#listeners.values()].flatMap((listeners) => [...listeners])) {
            this.#tell(() => listener.onResubscribed());
          }
        },
        // The connection that could not be made says so itself, and this is called again.
        () => undefined,
      );
    }, RECONNECT_MS);
  }

  #deliver(payload: string): void {
    const [channel = '', type, taskId = '', sequence] = payload.split('\n');
    const listeners = this.#listeners.get(channel as Channel);
    if (!listeners) return;
    const message: BusMessage =
      type === 'cancel' || type === 'push' ? { type, taskId } : { type: 'head', taskId, sequence: Number(sequence) };
    for (const listener of [...listeners]) this.#tell(() => listener.onMessage(message));
  }

  /** A listener that throws is its own fault, and nobody else's. */
  #tell(call: () => void): void {
    try {
      call();
    } catch (err) {
      this.options.logger.error('A listener of the event bus failed', { err });
    }
  }
}

function hintOf(message: BusMessage): string {
  if (message.type === 'cancel' || message.type === 'push') return `${message.type}\n${message.taskId}`;
  const sequence = message.type === 'head' ? message.sequence : (message.events.at(-1)?.sequence ?? 0);
  return `head\n${message.taskId}\n${sequence}`;
}

async function withDeadline<T>(promise: Promise<T>, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(message)), DEADLINE_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
