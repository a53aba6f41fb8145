import { clockOffset, type ClockReading } from './clock-offset.js';

const reading = (asked: number, shown: number, answered: number): ClockReading => ({ asked, shown, answered });

describe('clockOffset', () => {
  it.each([
    ['in the middle', reading(1000, 1005, 1010)],
    ['at once, after a slow way back', reading(1000, 1000.2, 1010)],
    ['at the end, after a slow way there', reading(1000, 1010.9, 1010)],
  ])('is none where the clocks may agree: looked at %s', (_, only) => {
    expect(clockOffset([only])).toBe(0);
  });

  it.each([
    ['ahead', reading(1000, 3005, 1010), 2000],
    ['behind', reading(5000, 3005, 5010), -2000],
    ['a little ahead', reading(1000, 1014, 1010), 9],
  ])('takes half of the way for the time of the answer: a database that is %s', (_, only, offset) => {
    expect(clockOffset([only])).toBe(offset);
  });

  it('goes by the reading that took the least time', () => {
    expect(clockOffset([reading(1000, 1500, 1900), reading(2000, 2041, 2002), reading(3000, 3400, 3300)])).toBe(40);
  });
});
