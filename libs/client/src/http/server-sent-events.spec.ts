import { EventTooLongError, serverSentEvents } from './server-sent-events.js';

async function read(text: string, size = text.length, max = 1000) {
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const list = [];
  for await (const event of serverSentEvents(chunks(), max)) list.push(event);
  return list;
}

describe('serverSentEvents', () => {
  const stream =
    ': hello\r\n\r\nid: 1\r\ndata: a😀\u2028b\r\n\r\ndata:two\ndata\ndata:  lines\nevent: x\nretry: 1\n\nid: 3\n\ndata: cut';

  it.each([1, 2, 3, 7, 1000])('reads chunks of %i bytes', async (size) => {
    expect(await read(stream, size)).toEqual([{ id: '1', data: 'a😀\u2028b' }, { data: 'two\n\n lines' }]);
  });

  it('a line or an event that never ends is refused', async () => {
    await expect(read(`data: ${'x'.repeat(2000)}`, 100)).rejects.toBeInstanceOf(EventTooLongError);
    await expect(read('data: 0123456789\n'.repeat(200), 17)).rejects.toBeInstanceOf(EventTooLongError);
  });
});
