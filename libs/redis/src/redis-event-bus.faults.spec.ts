import type { BusListener, BusMessage } from '#core';
import { Deferred, describeWithRedis, eventually, Inbox, startRedis, startSilentProxy, type TestServer } from '#testing';
import { Redis } from 'ioredis';
import { RedisEventBus } from './redis-event-bus.js';

class Heard implements BusListener {
  readonly messages = new Inbox<BusMessage>();
  readonly returned = new Deferred();

  onMessage(message: BusMessage): void {
    this.messages.push(message);
  }

  onResubscribed(): void {
    this.returned.resolve();
  }
}

const head = (sequence: number): BusMessage => ({ type: 'head', taskId: 't', sequence });

describeWithRedis('The event bus on a Redis that fails', () => {
  let redis: TestServer;
  let sender: RedisEventBus;
  let receiver: RedisEventBus;
  let heard: Heard;

  beforeEach(async () => {
    redis = await startRedis();
    sender = new RedisEventBus({ url: redis.url });
    receiver = new RedisEventBus({ url: redis.url });
    await eventually(async () => (await sender.healthy()) && (await receiver.healthy()));
    heard = new Heard();
    await receiver.subscribe('task:t', heard);
  });
  afterEach(async () => {
    await Promise.all([sender.close(), receiver.close()]);
    await redis.remove();
  });

  const expectRefusal = async (work: () => Promise<unknown>): Promise<void> => {
    const from = performance.now();
    await expect(work()).rejects.toThrow();
    expect(performance.now() - from).toBeLessThan(900);
  };
  const published = (sequence: number): Promise<boolean> =>
    sender.publish(['task:t'], head(sequence)).then(
      () => true,
      () => false,
    );

  it('subscribes again after a restart, tells its listeners only then, and misses nothing from then on', async () => {
    const other = new Heard();
    await receiver.subscribe('replica:r', other);
    await redis.kill();
    await eventually(async () => !(await sender.healthy()) && !(await receiver.healthy()));
    await expectRefusal(() => sender.publish(['task:t'], head(1)));
    await expectRefusal(() => receiver.subscribe('task:late', new Heard()));
    await redis.start();
    await Promise.all([heard.returned.promise, other.returned.promise]);
    await eventually(() => published(2));
    expect(await heard.messages.first(1)).toEqual([head(2)]);
  });

  it('subscribes again when the server closes the connection alone', async () => {
    const client = new Redis(redis.url);
    await client.client('KILL', 'TYPE', 'PUBSUB');
    await heard.returned.promise;
    await sender.publish(['task:t'], head(1));
    expect(await heard.messages.first(1)).toEqual([head(1)]);
    expect(await client.pubsub('NUMSUB', 'chorus:task:t')).toEqual(['chorus:task:t', 1]);
    await client.quit();
  });

  it('refuses while the server is frozen, and goes on when it thaws', async () => {
    redis.pause();
    await expectRefusal(() => sender.publish(['task:t'], head(1)));
    await expectRefusal(() => receiver.subscribe('task:other', new Heard()));
    expect(await receiver.healthy()).toBe(false);
    redis.resume();
    await eventually(() => published(2));
    await eventually(() => heard.messages.items.some((message) => message.type === 'head' && message.sequence === 2));
    const other = new Heard();
    await receiver.subscribe('task:other', other);
    await sender.publish(['task:other'], head(3));
    expect(await other.messages.first(1)).toEqual([head(3)]);
  });

  it('leaves no subscription at the server whose subscriber has given up', async () => {
    redis.pause();
    await expectRefusal(() => receiver.subscribe('task:given-up', new Heard()));
    redis.resume();
    const client = new Redis(redis.url);
    await eventually(async () => JSON.stringify(await client.pubsub('CHANNELS')) === '["chorus:task:t"]');
    await client.quit();
  });

  it('notices connections that carry nothing any more and never end', async () => {
    const proxy = await startSilentProxy(redis.url);
    const bus = new RedisEventBus({ url: proxy.through(redis.url), prefix: 'silent' });
    try {
      await eventually(() => bus.healthy());
      const listening = new Heard();
      await bus.subscribe('task:t', listening);
      proxy.silence();
      await expectRefusal(() => bus.publish(['task:t'], head(1)));
      await listening.returned.promise;
      await eventually(
        () =>
          bus.publish(['task:t'], head(2)).then(
            () => true,
            () => false,
          ),
        15_000,
      );
      expect(await listening.messages.first(1)).toEqual([head(2)]);
    } finally {
      await bus.close();
      proxy.close();
    }
  }, 60_000);

  it('starts without the server, and works when it comes', async () => {
    await redis.stop();
    const early = new RedisEventBus({ url: redis.url });
    await expectRefusal(() => early.subscribe('task:t', new Heard()));
    await redis.start();
    await eventually(() => early.healthy());
    const late = new Heard();
    await early.subscribe('task:t', late);
    await eventually(() => published(1));
    await late.messages.first(1);
    await early.close();
  });
});
