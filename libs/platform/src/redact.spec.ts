import { redact } from './redact.js';

describe('redact', () => {
  it.each([
    ['connect redis://me:hunter2@cache:6379 failed', 'connect redis://[hidden]@cache:6379 failed'],
    ['postgres://:hunter2@db', 'postgres://[hidden]@db'],
    ['amqp+ssl://u:hun/ter2@h and https://v:hunter2@i/', 'amqp+ssl://[hidden]@h and https://[hidden]@i/'],
    ['"http://h/x?u=redis://me:hunter2@c"', '"http://h/x?u=redis://[hidden]@c"'],
    ["{url:'redis://a:hunter2@b'}", "{url:'redis://[hidden]@b'}"],
    ['Authorization: Bearer hunter2==', 'Authorization: Bearer [hidden]'],
    ['key chorus_0123456789abcdef_hun-ter_2hunter2!', 'key chorus_0123456789abcdef_[hidden]!'],
    ['https://example.test:8080/a, mail me@example.test', 'https://example.test:8080/a, mail me@example.test'],
    ['https://user@example.test', 'https://user@example.test'],
    ['at file:///srv/a.js:1:2, a@b', 'at file:///srv/a.js:1:2, a@b'],
  ])('%s', (text, shown) => {
    expect(redact(text)).toBe(shown);
  });

  it('hides fields with the name of a secret, and leaves out what is nested too deep', () => {
    let deep: unknown = { password: 'hunter2' };
    for (let level = 0; level < 9; level++) deep = { password: 'hunter2', inner: deep };
    const text = JSON.stringify(redact(deep));
    expect(text).toContain('"inner":"[nested too deep]"');
    expect(text).not.toContain('hunter2');
  });

  it('shows dates, URLs and errors as text', () => {
    const at = new Date(Date.UTC(2026, 0, 2));
    const shown = redact({ at, url: new URL('redis://me:hunter2@cache'), cause: new Error('to redis://me:hunter2@cache') });
    expect(shown).toMatchObject({
      at: '2026-01-02T00:00:00.000Z',
      url: 'redis://[hidden]@cache',
      cause: expect.stringMatching(/^Error: to redis:\/\/\[hidden\]@cache\n/),
    });
  });

  it.each([
    ['letters', 'a'.repeat(1_000_000)],
    ['what could be user and password', `redis://${'a:'.repeat(500_000)}`],
    ['the beginnings of URLs', 'a://b:'.repeat(150_000)],
    ['URLs without an end', `${'a://'.repeat(250_000)}@`],
    ['colons and slashes', `${'://'.repeat(300_000)}:@`],
    ['blanks behind a scheme', `${'bearer '.repeat(100_000)}bearer${' '.repeat(300_000)}`],
  ])('takes no longer for a megabyte of %s than an event loop can spare', (_, text) => {
    const started = performance.now();
    redact({ err: { message: text, stack: text } });
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
