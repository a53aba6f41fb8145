import { PageMemory } from './page-memory.js';

const remembered = (text: string) => ({ mark: text, steady: false, page: { tasks: text } });

describe('PageMemory', () => {
  it('gives back what was read last', () => {
    const memory = new PageMemory();
    memory.set('a', remembered('1'));
    memory.set('a', remembered('2'));
    expect([memory.get('a'), memory.get('b')]).toEqual([remembered('2'), undefined]);
  });

  it('forgets what was not read for longest, and holds 8 Mi characters', () => {
    const memory = new PageMemory();
    const page = remembered('x'.repeat(200_000));
    for (let i = 0; i < 40; i += 1) {
      memory.set(String(i), page);
      memory.get('0');
    }
    expect([memory.get('0'), memory.get('39')]).toEqual([page, page]);
    for (let i = 40; i < 60; i += 1) memory.set(String(i), page);
    expect(memory.get('1')).toBeUndefined();
    const held = Array.from({ length: 60 }, (_, i) => memory.get(String(i))).filter((known) => known !== undefined);
    expect(held).toHaveLength(41);
  });

  it('holds no page of more than 256 Ki characters', () => {
    const memory = new PageMemory();
    memory.set('a', remembered('x'.repeat(256 * 1024)));
    expect(memory.get('a')).toBeUndefined();
  });
});
