import { EventBus, type BusListener, type BusMessage, type Channel, type Subscription } from '#core';

/** What happens to a message on its way to one subscriber. */
export interface BusFaults {
  /** True loses the message. */
  drop?: (message: BusMessage, channel: Channel) => boolean;
  /** True delivers it twice. */
  double?: (message: BusMessage, channel: Channel) => boolean;
  /** Milliseconds that it takes longer; later messages overtake it. */
  delayMs?: (message: BusMessage, channel: Channel) => number;
}

interface Subscriber {
  readonly channel: Channel;
  readonly listener: BusListener;
  closed: boolean;
}

/** What the in-memory buses of one test share, as the processes of a deployment share a Redis. */
export class InMemoryBusNetwork {
  faults: BusFaults = {};
  /** Every publish that was taken, in order. */
  readonly published: { readonly channels: readonly Channel[]; readonly message: BusMessage }[] = [];
  readonly #subscribers = new Set<Subscriber>();
  #available = true;

  get available(): boolean {
    return this.#available;
  }

  /** While it is off, publishing and subscribing reject and nothing arrives; subscriptions return with it. */
  set available(available: boolean) {
    const returns = available && !this.#available;
    this.#available = available;
    if (returns) for (const { listener } of [...this.#subscribers]) listener.onResubscribed();
  }

  add(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
  }

  remove(subscriber: Subscriber): void {
    subscriber.closed = true;
    this.#subscribers.delete(subscriber);
  }

  send(channels: readonly Channel[], message: BusMessage): void {
    this.published.push({ channels, message });
    for (const channel of channels) {
      for (const subscriber of this.#subscribers) if (subscriber.channel === channel) this.#deliver(subscriber, message);
    }
  }

  #deliver(subscriber: Subscriber, message: BusMessage): void {
    const { channel } = subscriber;
    const { drop, double, delayMs } = this.faults;
    if (drop?.(message, channel)) return;
    const arrive = (): void => {
      if (subscriber.closed || !this.#available) return;
      subscriber.listener.onMessage(message);
      if (double?.(message, channel)) subscriber.listener.onMessage(message);
    };
    const delay = delayMs?.(message, channel) ?? 0;
    if (delay > 0) setTimeout(arrive, delay).unref();
    else setImmediate(arrive);
  }
}

/** One process's end of an `InMemoryBusNetwork`. A listener is never called from within `publish`. */
export class InMemoryEventBus extends EventBus {
  readonly #subscribers = new Set<Subscriber>();
  #closed = false;

  constructor(readonly network: InMemoryBusNetwork = new InMemoryBusNetwork()) {
    super();
  }

  async publish(channels: readonly Channel[], message: BusMessage): Promise<void> {
    this.#refuseUnlessAvailable();
    this.network.send(channels, message);
  }

  async subscribe(channel: Channel, listener: BusListener): Promise<Subscription> {
    this.#refuseUnlessAvailable();
    const subscriber: Subscriber = { channel, listener: new ContainedListener(listener), closed: false };
    this.#subscribers.add(subscriber);
    this.network.add(subscriber);
    return {
      close: async () => {
        this.#subscribers.delete(subscriber);
        this.network.remove(subscriber);
      },
    };
  }

  async healthy(): Promise<boolean> {
    return this.network.available && !this.#closed;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const subscriber of this.#subscribers) this.network.remove(subscriber);
    this.#subscribers.clear();
  }

  #refuseUnlessAvailable(): void {
    if (this.#closed) throw new Error('The event bus is closed');
    if (!this.network.available) throw new Error('The event bus was made unavailable');
  }
}

/** A listener that throws is its own fault, and nobody else's. */
class ContainedListener implements BusListener {
  constructor(private readonly listener: BusListener) {}

  onMessage(message: BusMessage): void {
    try {
      this.listener.onMessage(message);
    } catch {
      return;
    }
  }

  onResubscribed(): void {
    try {
      this.listener.onResubscribed();
    } catch {
      return;
    }
  }
}
