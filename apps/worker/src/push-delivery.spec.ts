import { randomBytes } from 'node:crypto';
import { SILENT } from '#core';
import { AllowEntryError } from '#outbound';
import { loadConfig } from '#platform';
import {
  InMemoryBusNetwork,
  InMemoryDatabase,
  InMemoryEventBus,
  InMemoryNotificationKeyStore,
  InMemoryPushDeliveryStore,
} from '#testing';
import { PushDelivery } from './push-delivery.js';

const KEY = { CHORUS_ENCRYPTION_KEY: randomBytes(32).toString('hex') };

function deliveryWith(environment: Record<string, string>) {
  const database = new InMemoryDatabase();
  const stores = {
    pushes: new InMemoryPushDeliveryStore(database),
    notificationKeys: new InMemoryNotificationKeyStore(database),
  };
  const config = loadConfig({ DATABASE_URL: 'postgres://localhost/none', ...environment });
  const bus = new InMemoryEventBus(new InMemoryBusNetwork());
  return { database, delivery: PushDelivery.of(config, stores, bus, 'w', SILENT) };
}

describe('the delivery of push notifications in a worker', () => {
  it('is there with the role and a key', async () => {
    const { database, delivery } = deliveryWith(KEY);
    let read = (): void => undefined;
    const asked = new Promise<void>((resolve) => (read = resolve));
    database.gate = (call, phase) => void (call === 'addNotificationKey' && phase === 'answer' && read());
    delivery?.start();
    await asked;
    expect(delivery?.hint('t')).toBe(true);
    await delivery?.close(1000);
    expect(delivery?.hint('t')).toBe(false);
    expect(database.notificationKeys).toHaveLength(1);
  });

  it.each([
    ['a key', {}],
    ['the role', { ...KEY, WORKER_ROLES: 'execute,reconcile' }],
  ])('is not there without %s', (_, environment) => {
    expect(deliveryWith(environment).delivery).toBeUndefined();
  });

  it('does not start with an allow-list that cannot be read', () => {
    for (const key of [KEY, {}]) {
      const start = () => deliveryWith({ ...key, CHORUS_OUTBOUND_ALLOW: '10.0.0.0/99' });
      expect(start).toThrow(AllowEntryError);
      expect(start).toThrow(/^CHORUS_OUTBOUND_ALLOW: .*10\.0\.0\.0\/99/);
    }
  });
});
