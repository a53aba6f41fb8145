import { SILENT } from '#core';
import { createTestDatabase, describeOnLinux, eventually, keepAliveTimers, startSilentProxy } from '#testing';
import { NotifyEventBus } from './notify-event-bus.js';
import { Pools } from './pools.js';

/** As the driver is told; the kernel counts from the last byte. */
const PROBE_S = 10;

describeOnLinux('connections to Postgres', () => {
  it('ask the kernel to find out about a server that vanished: those of both pools and of the bus', async () => {
    const database = await createTestDatabase();
    const proxy = await startSilentProxy(database.url);
    const connectionString = proxy.through(database.url);
    const pools = new Pools({
      connectionString,
      size: 2,
      listSize: 1,
      statementTimeoutMs: 5000,
      applicationName: 'spec',
      onError: () => undefined,
    });
    const bus = new NotifyEventBus({ connectionString, logger: SILENT });
    try {
      await Promise.all([...[1, 2].map(() => pools.hot.query('select pg_sleep(0.05)')), pools.lists.query('select 1')]);
      await bus.subscribe('task:t', { onMessage: () => undefined, onResubscribed: () => undefined });
      await bus.publish(['task:t'], { type: 'cancel', taskId: 't' });
      const timers = (): (number | undefined)[] => keepAliveTimers({ remote: Number(new URL(connectionString).port) });
      // Two of the hot pool, one for lists, one that listens and one that notifies.
      await eventually(() => timers().length === 5 && timers().every((seconds) => seconds !== undefined && seconds <= PROBE_S));
    } finally {
      await Promise.all([pools.close(), bus.close()]);
      proxy.close();
      await database.drop();
    }
  });
});
