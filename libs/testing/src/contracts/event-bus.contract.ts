import type { BusListener, BusMessage, Channel, EventBus, TaskEvent } from '#core';
import { eventually, Inbox } from '../waiting.js';

export interface EventBusUnderTest {
  /** A bus on the same server, as another process would have it. The suite closes it. */
  open(): EventBus;
  /** The bus may bring `head` where `events` were published. */
  readonly eventsAsHead?: boolean;
  /** Events of any size travel; else those over 64 KiB arrive as `head`. */
  readonly anySize?: boolean;
  close?(): Promise<void>;
}

type Describe = (name: string, suite: () => void) => void;

class Heard implements BusListener {
  readonly messages = new Inbox<BusMessage>();
  resubscribed = 0;

  onMessage(message: BusMessage): void {
    this.messages.push(message);
  }

  onResubscribed(): void {
    this.resubscribed += 1;
  }
}

/** What every `EventBus` does while its server is there. */
export function eventBusContract(
  name: string,
  start: () => Promise<EventBusUnderTest>,
  describeSuite: Describe = describe,
): void {
  describeSuite(`EventBus: ${name}`, () => {
    let server: EventBusUnderTest;
    const buses: EventBus[] = [];
    let tasks = 0;
    let taskId: string;
    let channel: Channel;

    beforeAll(async () => {
      server = await start();
    });
    beforeEach(() => {
      taskId = `task-${process.pid}-${(tasks += 1)}`;
      channel = `task:${taskId}`;
    });
    afterEach(async () => {
      await Promise.all(buses.splice(0).map((bus) => bus.close()));
    });
    afterAll(() => server.close?.());

    const open = async (): Promise<EventBus> => {
      const bus = server.open();
      buses.push(bus);
      await eventually(() => bus.healthy());
      return bus;
    };
    const head = (sequence: number): BusMessage => ({ type: 'head', taskId, sequence });
    const eventsOf = (...payloads: readonly string[]): BusMessage & { type: 'events' } => ({
      type: 'events',
      taskId,
      events: payloads.map((payload, index): TaskEvent => ({
        taskId,
        sequence: index + 1,
        kind: 'status',
        state: 'TASK_STATE_WORKING',
        turn: 1,
        endsTurn: index % 2 === 1,
        payload,
      })),
    });
    /** What arrives of `message`. */
    const arriving = (message: BusMessage & { type: 'events' }): BusMessage =>
      server.eventsAsHead ? head(message.events.at(-1)?.sequence ?? 0) : message;

    it('brings messages of every type to a subscriber in another process, in order', async () => {
      const [sender, receiver] = [await open(), await open()];
      const heard = new Heard();
      await receiver.subscribe(channel, heard);
      await sender.publish([channel], head(3));
      await sender.publish([channel], { type: 'cancel', taskId });
      const events = eventsOf('{"statusUpdate":{}}', '{"artifactUpdate":{}}');
      await sender.publish([channel], events);
      expect(await heard.messages.first(3)).toEqual([head(3), { type: 'cancel', taskId }, arriving(events)]);
    });

    it('brings hints of push notifications to every dispatcher', async () => {
      const sender = await open();
      const [one, other] = [new Heard(), new Heard()];
      await (await open()).subscribe('push', one);
      await (await open()).subscribe('push', other);
      await sender.publish(['push'], { type: 'push', taskId });
      const ours = (heard: Heard) =>
        eventually(() => heard.messages.items.some((message) => message.type === 'push' && message.taskId === taskId));
      await Promise.all([ours(one), ours(other)]);
    });

    it('carries all that an event has, whatever its text', async () => {
      const bus = await open();
      const heard = new Heard();
      await bus.subscribe(channel, heard);
      const text = 'line\nbreak \u2028 \r\n 🙂 "quoted" \\ ';
      const event: TaskEvent = {
        taskId,
        sequence: 7,
        kind: 'accepted',
        state: 'TASK_STATE_SUBMITTED',
        turn: 2,
        endsTurn: false,
        payload: JSON.stringify({ statusUpdate: { text } }),
        message: JSON.stringify({ messageId: text, parts: [{ text }] }),
      };
      const message = { type: 'events', taskId, events: [event] } as const;
      await bus.publish([channel], message);
      expect(await heard.messages.first(1)).toEqual([arriving(message)]);
    });

    it('brings events of up to 64 KiB, and a head instead of larger ones', async () => {
      const bus = await open();
      const heard = new Heard();
      await bus.subscribe(channel, heard);
      const fits = eventsOf('"small"', JSON.stringify('x'.repeat(65_000)));
      const tooLarge = eventsOf('"small"', JSON.stringify('x'.repeat(65_537)));
      // As many characters as fit, and more bytes.
      const wide = eventsOf(JSON.stringify('é'.repeat(40_000)));
      const expected = [fits, tooLarge, wide].map(arriving);
      if (!server.anySize) expected.splice(1, 2, head(2), head(1));
      for (const message of [fits, tooLarge, wide]) await bus.publish([channel], message);
      expect(await heard.messages.first(3)).toEqual(expected);
    });

    it('publishes to several channels at once, and to nobody else', async () => {
      const bus = await open();
      const [ours, replica, others] = [new Heard(), new Heard(), new Heard()];
      await bus.subscribe(channel, ours);
      await bus.subscribe(`replica:${taskId}`, replica);
      await bus.subscribe(`worker:${taskId}`, others);
      await bus.publish([channel, `replica:${taskId}`], head(1));
      await ours.messages.first(1);
      await replica.messages.first(1);
      await bus.publish([`worker:${taskId}`], head(2));
      expect(await others.messages.first(1)).toEqual([head(2)]);
      expect([ours.messages.items, replica.messages.items]).toEqual([[head(1)], [head(1)]]);
    });

    it('brings nothing from before the subscription was acknowledged, and everything after it', async () => {
      const [sender, receiver] = [await open(), await open()];
      await sender.publish([channel], head(1));
      const heard = new Heard();
      await receiver.subscribe(channel, heard);
      await sender.publish([channel], head(2));
      expect(await heard.messages.first(1)).toEqual([head(2)]);
    });

    it('serves several listeners of a channel, and goes on with one when another leaves', async () => {
      const bus = await open();
      const [stays, leaves] = [new Heard(), new Heard()];
      const staying = await bus.subscribe(channel, stays);
      const leaving = await bus.subscribe(channel, leaves);
      await bus.publish([channel], head(1));
      await stays.messages.first(1);
      await leaves.messages.first(1);
      await leaving.close();
      await leaving.close();
      await bus.publish([channel], head(2));
      expect(await stays.messages.first(2)).toEqual([head(1), head(2)]);
      expect(leaves.messages.items).toEqual([head(1)]);
      await staying.close();
    });

    it('subscribes again to a channel that was left, also at once', async () => {
      const bus = await open();
      const [first, second] = [new Heard(), new Heard()];
      const subscription = await bus.subscribe(channel, first);
      const leaving = subscription.close();
      await bus.subscribe(channel, second);
      await leaving;
      await bus.publish([channel], head(1));
      expect(await second.messages.first(1)).toEqual([head(1)]);
      expect(first.messages.items).toEqual([]);
    });

    it('is not held up by a listener that throws', async () => {
      const bus = await open();
      const heard = new Heard();
      const throwing: BusListener = {
        onMessage() {
          throw new Error('the test says so');
        },
        onResubscribed() {},
      };
      await bus.subscribe(channel, throwing);
      await bus.subscribe(channel, heard);
      await bus.publish([channel], head(1));
      await bus.publish([channel], head(2));
      expect(await heard.messages.first(2)).toEqual([head(1), head(2)]);
    });

    it('keeps the order of one publisher, and loses nothing of many messages', async () => {
      const [sender, receiver] = [await open(), await open()];
      const heard = new Heard();
      await receiver.subscribe(channel, heard);
      const sent = Array.from({ length: 500 }, (_, n) => head(n + 1));
      await Promise.all(sent.map((message) => sender.publish([channel], message)));
      expect(await heard.messages.first(500)).toEqual(sent);
    });

    it('refuses work once it is closed, and is not healthy', async () => {
      const bus = await open();
      await bus.subscribe(channel, new Heard());
      await bus.close();
      await expect(bus.publish([channel], head(1))).rejects.toThrow();
      await expect(bus.subscribe(channel, new Heard())).rejects.toThrow();
      expect(await bus.healthy()).toBe(false);
    });
  });
}
