import { NAME_PATTERN, RESERVED_NAMES, isName } from './names.js';

describe('isName', () => {
  it.each(['echo', 'A', '7', 'a.b_c~d-e', 'tasks2', 'xa2a', 'Tasks', 'x'.repeat(64)])('accepts %j', (text) => {
    expect(isName(text)).toBe(true);
  });

  it.each(['', 'a b', 'a/b', 'a:b', 'ü', 'a%20', 'a\n', 'x'.repeat(65), ...RESERVED_NAMES])('refuses %j', (text) => {
    expect(isName(text)).toBe(false);
  });

  it('has a pattern that reads a dot as a dot', () => {
    expect(new RegExp(`^${NAME_PATTERN}$`).test('xwell-known')).toBe(true);
  });
});
