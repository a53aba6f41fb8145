import { SILENT, type BusMessage } from '#core';
import { createTestDatabase, eventBusContract, eventually, startSilentProxy } from '#testing';
import pg from 'pg';
import { NotifyEventBus } from './notify-event-bus.js';

const busOn = (connectionString: string): NotifyEventBus => new NotifyEventBus({ connectionString, logger: SILENT });

eventBusContract('NOTIFY', async () => {
  const database = await createTestDatabase();
  return { open: () => busOn(database.url), eventsAsHead: true, close: () => database.drop() };
});

describe('NotifyEventBus', () => {
  const withBus = async (work: (bus: NotifyEventBus, admin: pg.Client) => Promise<void>): Promise<void> => {
    const database = await createTestDatabase();
    const admin = new pg.Client(database.url);
    await admin.connect();
    const bus = busOn(database.url);
    try {
      await work(bus, admin);
    } finally {
      await bus.close();
      await admin.end();
      await database.drop();
    }
  };

  it('listens again after its connection was lost, and tells every listener', () =>
    withBus(async (bus, admin) => {
      const told: number[] = [];
      const heard: BusMessage[] = [];
      const listener = (n: number) => ({
        onMessage: (message: BusMessage) => void heard.push(message),
        onResubscribed: () => void told.push(n),
      });
      await bus.subscribe('task:a', listener(0));
      await bus.subscribe('replica:b', listener(1));
      await bus.publish(['task:a'], { type: 'head', taskId: 'a', sequence: 1 });
      await eventually(() => heard.length === 1);
      await admin.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'chorus %' and datname = current_database()`,
      );
      await eventually(() => told.length === 2);
      expect(told.sort()).toEqual([0, 1]);
      await eventually(() =>
        bus.publish(['task:a'], { type: 'head', taskId: 'a', sequence: 2 }).then(
          () => true,
          () => false,
        ),
      );
      await eventually(() => heard.length === 2);
      expect(heard[1]).toEqual({ type: 'head', taskId: 'a', sequence: 2 });
    }));

  it('a listener that throws does not keep the next from hearing', () =>
    withBus(async (bus) => {
      const heard: BusMessage[] = [];
      const broken = {
        onMessage: () => {
          throw new Error('the test says so');
        },
        onResubscribed: () => undefined,
      };
      await bus.subscribe('task:a', broken);
      await bus.subscribe('task:a', { ...broken, onMessage: (message: BusMessage) => void heard.push(message) });
      await bus.publish(['task:a'], { type: 'cancel', taskId: 'a' });
      await eventually(() => heard.length === 1);
    }));

  it('says within half a second that the server is away', async () => {
    const bus = busOn('postgres://nobody@127.0.0.1:1/none');
    const start = performance.now();
    await expect(bus.publish(['task:a'], { type: 'cancel', taskId: 'a' })).rejects.toThrow();
    await expect(bus.subscribe('task:a', { onMessage: () => undefined, onResubscribed: () => undefined })).rejects.toThrow();
    expect(await bus.healthy()).toBe(false);
    expect(performance.now() - start).toBeLessThan(3 * 600);
    await bus.close();
  });

  it('closes within a second or so when the server does not answer any more', async () => {
    const database = await createTestDatabase();
    const proxy = await startSilentProxy(database.url);
    const bus = busOn(proxy.through(database.url));
    await bus.subscribe('task:a', { onMessage: () => undefined, onResubscribed: () => undefined });
    await bus.publish(['task:a'], { type: 'cancel', taskId: 'a' });
    proxy.silence();
    const from = performance.now();
    await bus.close();
    expect(performance.now() - from).toBeLessThan(2000);
    proxy.close();
    await database.drop();
  });

  it('answers each publish when its own notification has gone out, however many follow', () =>
    withBus(async (bus) => {
      let publishing = true;
      const followers = Promise.all(
        Array.from({ length: 8 }, async () => {
          while (publishing) await bus.publish(['task:others'], { type: 'cancel', taskId: 'others' });
        }),
      );
      for (let n = 0; n < 20; n += 1) await bus.publish(['task:a'], { type: 'head', taskId: 'a', sequence: n });
      publishing = false;
      await followers;
    }));

  it('keeps one connection for each use, whatever broke and when', () =>
    withBus(async (bus, admin) => {
      await bus.subscribe('task:a', { onMessage: () => undefined, onResubscribed: () => undefined });
      for (let round = 0; round < 5; round += 1) {
        const publishing = Array.from({ length: 20 }, () =>
          bus.publish(['task:a'], { type: 'cancel', taskId: 'a' }).catch(() => undefined),
        );
        await admin.query(
          `select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'chorus %' and datname = current_database()`,
        );
        await Promise.all(publishing);
      }
      await eventually(() => bus.healthy());
      await eventually(() =>
        bus.publish(['task:a'], { type: 'cancel', taskId: 'a' }).then(
          () => true,
          () => false,
        ),
      );
      const { rows } = await admin.query<{ use: string }>(
        `select application_name as use from pg_stat_activity where application_name like 'chorus %' and datname = current_database() order by 1`,
      );
      expect(rows.map(({ use }) => use)).toEqual(['chorus listen', 'chorus notify']);
    }));
});
