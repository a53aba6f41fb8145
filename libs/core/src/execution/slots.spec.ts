import { Slots } from './slots.js';

describe('Slots', () => {
  it('gives a slot that comes free to the one who waits longest, and to nobody else', async () => {
    const slots = new Slots(1);
    expect(slots.tryTake()).toBe(true);
    const order: string[] = [];
    const first = slots.take().then(() => order.push('first'));
    const second = slots.take().then(() => order.push('second'));
    slots.give();
    await first;
    expect(order).toEqual(['first']);
    expect([slots.free, slots.tryTake()]).toEqual([0, false]);
    slots.give();
    await second;
    slots.give();
    expect(slots.free).toBe(1);
  });

  it('a closed one refuses those who wait and those who come', async () => {
    const slots = new Slots(1);
    slots.tryTake();
    const waiting = slots.take();
    slots.close();
    slots.give();
    expect(await Promise.all([waiting, slots.take()])).toEqual([false, false]);
    expect([slots.free, slots.tryTake()]).toEqual([0, false]);
  });
});
