import { isTaskId, newId } from './new-id.js';

describe('newId', () => {
  it('makes UUIDs of version 7 that are all different', () => {
    const ids = Array.from({ length: 2000 }, newId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('begins with the time, so that later ids sort after earlier ones', async () => {
    const before = Date.now();
    const at = Number.parseInt(newId().replaceAll('-', '').slice(0, 12), 16);
    expect(at).toBeGreaterThanOrEqual(before);
    expect(at).toBeLessThanOrEqual(Date.now());
  });
});

describe('isTaskId', () => {
  it('knows the ids that are made here, and nothing else', () => {
    const id = newId();
    expect(isTaskId(id)).toBe(true);
    for (const other of ['', 'task', id.toUpperCase(), `${id}0`, ` ${id}`, `${id}\n`, id.replaceAll('-', '')]) {
      expect(isTaskId(other)).toBe(false);
    }
  });
});
