import { RESERVED_NAMES, isName } from './names.js';

describe('isName', () => {
  it.each(['echo', 'A', '7', 'a.b_c~d-e', 'tasks2', 'xa2a', 'xwell-known', 'Tasks', 'x'.repeat(64)])('accepts %j', (text) => {
    expect(isName(text)).toBe(true);
  });

  it.each(['', 'a b', 'a/b', 'a:b', 'ü', 'a%20', 'a\n', 'x'.repeat(65), ...RESERVED_NAMES])('refuses %j', (text) => {
    expect(isName(text)).toBe(false);
  });
});
