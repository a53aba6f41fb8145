import { describeOnLinux, describeWithRedis, eventually, keepAliveTimers, startSilentProxy } from '#testing';
import { RedisEventBus } from './redis-event-bus.js';

/** As the driver is told; the kernel counts from the last byte. */
const PROBE_S = 10;

describeWithRedis('connections of the event bus', (url) => {
  describeOnLinux('to Redis', () => {
    it('ask the kernel to find out about a server that vanished: the publishing and the subscribing one', async () => {
      const proxy = await startSilentProxy(url);
      const through = proxy.through(url);
      const bus = new RedisEventBus({ url: through });
      try {
        await eventually(() => bus.healthy());
        const timers = (): (number | undefined)[] => keepAliveTimers({ remote: Number(new URL(through).port) });
        await eventually(() => timers().length === 2 && timers().every((seconds) => seconds !== undefined && seconds <= PROBE_S));
      } finally {
        await bus.close();
        proxy.close();
      }
    });
  });
});
