import { joinMessages } from './bus-codec.js';

/**
 * What is published in one turn of the event loop. Messages for one channel leave together: the events of many tasks go to the
 * replica that waits for them all, and to the server, as to both clients, a command costs more than what it carries.
 */
export class Outbox {
  #texts = new Map<string, string[]>();
  #leaving: Promise<void> | undefined;

  /** `send` gets one text per channel. */
  constructor(private readonly send: (messages: ReadonlyMap<string, string>) => Promise<void>) {}

  /** Settles as the sending does of everything that leaves in this turn. */
  add(channels: readonly string[], text: string): Promise<void> {
    for (const channel of channels) {
      const texts = this.#texts.get(channel);
      if (texts) texts.push(text);
      else this.#texts.set(channel, [text]);
    }
    return (this.#leaving ??= this.#leave());
  }

  async #leave(): Promise<void> {
    // After all microtasks: whatever promises that settle now still publish goes along.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const texts = this.#texts;
    this.#texts = new Map();
    this.#leaving = undefined;
    await this.send(new Map([...texts].map(([channel, some]) => [channel, joinMessages(some)])));
  }
}
