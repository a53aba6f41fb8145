import { joinMessages } from './bus-codec.js';
import { inTime } from './deadline.js';

/** What may wait for a server that does not answer, or for the turn's end, before further messages are refused at once. */
const MAX_UNANSWERED_BYTES = 16 * 1024 * 1024;

/**
 * What is published in one turn of the event loop. Messages for one channel leave together: the events of many tasks go to the
 * replica that waits for them all, and to the server, as to both clients, a command costs more than what it carries.
 */
export class Outbox {
  #texts = new Map<string, string[]>();
  #leaving: Promise<void> | undefined;
  /** Of the messages of this turn, and of what is on its way. */
  #turnBytes = 0;
  #unansweredBytes = 0;

  /** `send` gets one text per channel, and settles when the server has answered. */
  constructor(private readonly send: (messages: ReadonlyMap<string, string>) => Promise<void>) {}

  /** Settles as the sending does of everything that leaves in this turn; rejects when that takes longer than the bus's deadline. */
  async add(channels: readonly string[], text: string): Promise<void> {
    const bytes = channels.length * Buffer.byteLength(text);
    if (this.#turnBytes + this.#unansweredBytes + bytes > MAX_UNANSWERED_BYTES) {
      throw new Error('Too much waits for Redis; the message was not published');
    }
    this.#turnBytes += bytes;
    for (const channel of channels) {
      const texts = this.#texts.get(channel);
      if (texts) texts.push(text);
      else this.#texts.set(channel, [text]);
    }
    await (this.#leaving ??= this.#leave());
  }

  async #leave(): Promise<void> {
    // After all microtasks: whatever promises that settle now still publish goes along.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const texts = this.#texts;
    this.#texts = new Map();
    this.#leaving = undefined;
    const bytes = this.#turnBytes;
    this.#turnBytes = 0;
    this.#unansweredBytes += bytes;
    const answered = this.send(new Map([...texts].map(([channel, some]) => [channel, joinMessages(some)]))).finally(() => {
      this.#unansweredBytes -= bytes;
    });
    await inTime(answered, 'Redis did not answer the publish in time');
  }
}
