import { together } from './together.js';

it.each([
  [0, []],
  [1, [1]],
  [8, [8]],
  [9, [5, 4]],
  [20, [7, 7, 6]],
])('%i hints make jobs of %j', (count, sizes) => {
  const hints = Array.from({ length: count }, (_, n) => ({ agentId: 'a', taskId: `t${n}`, turn: 1, epoch: 0 }));
  const groups = together(hints);
  expect(groups.map(({ length }) => length)).toEqual(sizes);
  expect(groups.flat()).toEqual(hints);
});
