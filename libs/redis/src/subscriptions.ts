import { ThrottledWarning, type BusListener, type Logger } from '#core';
import type { Redis } from 'ioredis';
import { decodeMessage, splitMessages } from './bus-codec.js';
import { connect, ready } from './connection.js';
import { DEADLINE_MS, inTime } from './deadline.js';

/** A connection that hangs without an error is found by asking it. */
const PROBE_MS = 5000;
const CHANNELS_PER_COMMAND = 500;

interface ChannelState {
  readonly listeners: Set<BusListener>;
  /** The server's acknowledgement on the connection that is open now. */
  acknowledged: Promise<unknown> | undefined;
}

/** The subscribing connection: one subscription per channel, whatever the number of listeners, renewed when it was lost. */
export class Subscriptions {
  readonly #redis: Redis;
  readonly #channels = new Map<string, ChannelState>();
  readonly #unreadable: ThrottledWarning;
  readonly #failing: ThrottledWarning;
  readonly #probe: NodeJS.Timeout;
  #connectedBefore = false;

  constructor(url: string, logger: Logger, connectionName: string) {
    this.#unreadable = new ThrottledWarning(logger, 'A bus message cannot be read and is ignored');
    this.#failing = new ThrottledWarning(logger, 'Redis subscriptions could not be renewed; trying again');
    this.#redis = connect(url, logger, { connectionName });
    this.#redis.on('message', (channel: string, text: string) => this.#deliver(channel, text));
    this.#redis.on('close', () => {
      for (const state of this.#channels.values()) state.acknowledged = undefined;
    });
    this.#redis.on('ready', () => void this.#renew());
    this.#probe = setInterval(() => void this.#checkConnection(), PROBE_MS).unref();
  }

  get ready(): boolean {
    return this.#redis.status === 'ready';
  }

  /** Resolves once the server has acknowledged the channel's subscription. */
  async add(channel: string, listener: BusListener): Promise<void> {
    let state = this.#channels.get(channel);
    if (!state) this.#channels.set(channel, (state = { listeners: new Set(), acknowledged: undefined }));
    state.listeners.add(listener);
    try {
      await inTime(this.#acknowledged(channel, state), 'Redis did not acknowledge the subscription in time');
    } catch (error) {
      this.remove(channel, listener);
      throw error;
    }
  }

  remove(channel: string, listener: BusListener): void {
    const state = this.#channels.get(channel);
    if (!state?.listeners.delete(listener) || state.listeners.size > 0) return;
    this.#channels.delete(channel);
    // The connection keeps the order: a subscription that is still under way ends too.
    if (this.ready) this.#redis.unsubscribe(channel).catch(() => undefined);
  }

  close(): void {
    clearInterval(this.#probe);
    this.#channels.clear();
    this.#redis.disconnect();
  }

  async #acknowledged(channel: string, state: ChannelState): Promise<void> {
    await ready(this.#redis);
    if (state.listeners.size === 0) return;
    const command = (state.acknowledged ??= this.#redis.subscribe(channel));
    try {
      await command;
    } catch (error) {
      if (state.acknowledged === command) state.acknowledged = undefined;
      throw error;
    }
  }

  /** Only the acknowledgements tell that messages arrive again; `ready` alone comes earlier. */
  async #renew(): Promise<void> {
    const returns = this.#connectedBefore;
    this.#connectedBefore = true;
    const lost = [...this.#channels].filter(([, state]) => state.acknowledged === undefined);
    const commands: Promise<unknown>[] = [];
    for (let from = 0; from < lost.length; from += CHANNELS_PER_COMMAND) {
      const some = lost.slice(from, from + CHANNELS_PER_COMMAND);
      const command = this.#redis.subscribe(...some.map(([channel]) => channel));
      for (const [, state] of some) state.acknowledged = command;
      commands.push(command);
    }
    try {
      await Promise.all(commands);
    } catch (err) {
      // A connection that is open and refuses is closed, so that the next one tries again.
      this.#failing.warn({ err });
      if (this.ready) this.#redis.disconnect(true);
      return;
    }
    if (returns)
      for (const [, { listeners }] of lost) for (const listener of [...listeners]) this.#call(() => listener.onResubscribed());
  }

  async #checkConnection(): Promise<void> {
    if (!this.ready) return;
    try {
      await inTime(this.#redis.ping(), 'Redis did not answer the subscribing connection');
    } catch {
      await this.#closeUnlessItAnswers();
    }
  }

  async #closeUnlessItAnswers(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 2 * DEADLINE_MS).unref());
    if (!this.ready) return;
    await inTime(this.#redis.ping(), '').catch(() => this.#redis.disconnect(true));
  }

  #deliver(channel: string, text: string): void {
    const listeners = this.#channels.get(channel)?.listeners;
    if (!listeners) return;
    for (const one of splitMessages(text)) {
      this.#call(() => {
        const message = decodeMessage(one);
        if (!message) throw new Error('Another version of the product wrote the message');
        for (const listener of [...listeners]) this.#call(() => listener.onMessage(message));
      });
    }
  }

  #call(work: () => void): void {
    try {
      work();
    } catch (err) {
      this.#unreadable.warn({ err });
    }
  }
}
