import { EventBus, type BusListener, type BusMessage, type Channel, type Logger, type Subscription } from '#core';
import pg from 'pg';

const NOTIFY_CHANNEL = 'chorus_bus';
const DEADLINE_MS = 500;
const RECONNECT_MS = 250;
/** A connection that does not answer for this long is given up. */
const ANSWER_MS = 5000;
const MOST_WAITING = 10_000;

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
  readonly #waiting: string[] = [];
  #flushing: Promise<void> | undefined;
  #listening: Promise<pg.Client> | undefined;
  #notifying: Promise<pg.Client> | undefined;
  #reconnect: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(private readonly options: NotifyEventBusOptions) {
    super();
  }

  override async publish(channels: readonly Channel[], message: BusMessage): Promise<void> {
    if (this.#closed) throw new Error('The event bus is closed');
    const hint = hintOf(message);
    for (const channel of channels) this.#waiting.push(`${channel}\n${hint}`);
    // While the server hangs, the oldest hints go first: their readers have looked at the log meanwhile.
    if (this.#waiting.length > MOST_WAITING) this.#waiting.splice(0, this.#waiting.length - MOST_WAITING);
    this.#flushing ??= this.#flush().finally(() => {
      this.#flushing = undefined;
    });
    await withDeadline(this.#flushing, 'NOTIFY was not answered in time');
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
    const clients = [this.#listening, this.#notifying].filter((client) => client !== undefined);
    await Promise.all(clients.map((client) => client.then((one) => one.end()).catch(() => undefined)));
  }

  /** Everything that waits, in one statement; what comes meanwhile goes with the next. What fails is lost, as hints may be. */
  async #flush(): Promise<void> {
    try {
      while (this.#waiting.length > 0) await this.#notify(this.#waiting.splice(0, 500));
    } catch (error) {
      this.#waiting.length = 0;
      throw error;
    }
  }

  async #notify(hints: readonly string[]): Promise<void> {
    this.#notifying ??= this.#connect('notify', () => (this.#notifying = undefined)).catch((error: unknown) => {
      this.#notifying = undefined;
      throw error;
    });
    const client = await this.#notifying;
    try {
      await client.query({
        name: 'notify',
        text: `select pg_notify('${NOTIFY_CHANNEL}', p) from unnest($1::text[]) p`,
        values: [hints],
      });
    } catch (error) {
      this.#notifying = undefined;
      void client.end().catch(() => undefined);
      throw error;
    }
  }

  async #ping(): Promise<void> {
    const client = await this.#listen();
    await client.query('select 1').catch((error: unknown) => {
      void client.end().catch(() => undefined);
      throw error;
    });
  }

  #listen(): Promise<pg.Client> {
    this.#listening ??= this.#startListening().catch((error: unknown) => {
      this.#listening = undefined;
      throw error;
    });
    return this.#listening;
  }

  async #startListening(): Promise<pg.Client> {
    const client = await this.#connect('listen', () => this.#lost());
    client.on('notification', ({ payload }) => this.#deliver(payload ?? ''));
    try {
      await client.query(`listen ${NOTIFY_CHANNEL}`);
    } catch (error) {
      void client.end().catch(() => undefined);
      throw error;
    }
    return client;
  }

  /** Listen again until it works; what was sent meanwhile is lost, and every listener is told. */
  #lost(): void {
    this.#listening = undefined;
    if (this.#closed || this.#listeners.size === 0) return;
    clearTimeout(this.#reconnect);
    this.#reconnect = setTimeout(() => {
      this.#listen().then(
        () => {
          for (const listener of [...this.#listeners.values()].flatMap((listeners) => [...listeners])) {
            this.#tell(() => listener.onResubscribed());
          }
        },
        () => this.#lost(),
      );
    }, RECONNECT_MS);
  }

  async #connect(use: string, onEnd: () => void): Promise<pg.Client> {
    const { connectionString, applicationName = 'chorus' } = this.options;
    const client = new pg.Client({
      ...{
        connectionString,
        application_name: `${applicationName} ${use}`,
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
      },
      ...{ connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS },
    });
    client.on('error', (err) => this.options.logger.warn('The connection of the event bus broke; it is made anew', { err }));
    client.once('end', () => {
      if (!this.#closed) onEnd();
    });
    await client.connect();
    return client;
  }

  #deliver(payload: string): void {
    const [channel = '', type, taskId = '', sequence] = payload.split('\n');
    const listeners = this.#listeners.get(channel as Channel);
    if (!listeners) return;
    const message: BusMessage = type === 'cancel' ? { type, taskId } : { type: 'head', taskId, sequence: Number(sequence) };
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
  if (message.type === 'cancel') return `cancel\n${message.taskId}`;
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
