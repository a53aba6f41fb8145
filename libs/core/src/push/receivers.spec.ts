import { backOffMs } from './back-off.js';
import { Receivers } from './receivers.js';

const open = () => {
  const clock = { now: 0 };
  const receivers = new Receivers({ perReceiver: 16, total: 256 }, () => clock.now);
  const fail = (times: number) => {
    for (let n = 0; n < times; n += 1) receivers.ill('r');
  };
  return { clock, receivers, fail, room: () => receivers.rooms(256).get('r') ?? 16 };
};

describe('receivers', () => {
  it('each has its room, less what is under way', () => {
    const { receivers, room } = open();
    expect(room()).toBe(16);
    for (let n = 0; n < 16; n += 1) receivers.begin('r');
    expect([room(), receivers.rooms(256).get('other')]).toEqual([0, undefined]);
    receivers.end('r');
    expect(room()).toBe(1);
  });

  it('the last free places are not for those that have some', () => {
    const { receivers } = open();
    for (let n = 0; n < 8; n += 1) receivers.begin('slow');
    expect(receivers.share(256)).toBe(16);
    expect([receivers.share(8), receivers.rooms(8).get('slow')]).toEqual([2, 0]);
    expect(receivers.share(1)).toBe(1);
  });

  it('one that fails five times in a row is left alone, then tried with one', () => {
    const { clock, receivers, fail, room } = open();
    fail(4);
    expect(room()).toBe(16);
    fail(1);
    expect(room()).toBe(0);
    clock.now = 2000;
    expect(room()).toBe(1);
    receivers.begin('r');
    expect(room()).toBe(0);
    receivers.well('r');
    expect(room()).toBe(15);
  });

  it('is left alone for longer each time, up to a bound; what was under way before counts once', () => {
    const { clock, fail, room } = open();
    fail(16);
    clock.now = 1300;
    expect(room()).toBe(1);
    for (let times = 0; times < 20; times += 1) {
      fail(1);
      expect(room()).toBe(0);
      clock.now += 75_100;
      expect(room()).toBe(1);
    }
    fail(1);
    clock.now += 20_000;
    expect(room()).toBe(0);
  });

  it('a delivery between failures counts anew', () => {
    const { receivers, fail, room } = open();
    fail(4);
    receivers.well('r');
    fail(4);
    expect(room()).toBe(16);
  });

  it('forgets whom nobody has asked for in a while', () => {
    const { clock, receivers, fail, room } = open();
    fail(5);
    clock.now = 700_000;
    receivers.rooms(256);
    expect(room()).toBe(16);
  });
});

describe('the pause after failures', () => {
  it('doubles, within bounds, and is spread by a quarter', () => {
    const times = { firstMs: 1000, mostMs: 300_000 };
    const middle = [1, 2, 3, 9, 10, 1000].map((failures) => backOffMs(failures, times, () => 0.5));
    expect(middle).toEqual([1000, 2000, 4000, 256_000, 300_000, 300_000]);
    expect([backOffMs(1, times, () => 0), backOffMs(1, times, () => 1)]).toEqual([750, 1250]);
  });
});
