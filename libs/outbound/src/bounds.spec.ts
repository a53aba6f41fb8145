import type { RequestListener, ServerResponse } from 'node:http';
import { OutboundFailedError, OutboundTimeoutError } from './errors.js';
import { GuardedFetch } from './guarded-fetch.js';
import { OutboundPolicy } from './outbound-policy.js';
import { Receiver } from './receiver.spec-support.js';

const cleanups: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(answer: RequestListener): Promise<{ sink: Receiver; guard: GuardedFetch; url: string }> {
  const sink = await Receiver.start(answer);
  const guard = new GuardedFetch(new OutboundPolicy(`127.0.0.1:${sink.port}`));
  cleanups.push(
    () => sink.close(),
    () => guard.close(),
  );
  return { sink, guard, url: `http://127.0.0.1:${sink.port}/` };
}

/** Writes a piece every few milliseconds until the reader leaves. */
function trickle(response: ServerResponse, piece: string): void {
  const timer = setInterval(() => response.socket?.write(piece), 10);
  response.once('close', () => clearInterval(timer));
  cleanups.push(() => clearInterval(timer));
}

describe('the time of an exchange', () => {
  it.each<[string, RequestListener]>([
    ['says nothing', () => {}],
    [
      'sends its headers letter by letter',
      (_, response) => {
        response.socket?.write('HTTP/1.1 200 OK\r\nx-slow: ');
        trickle(response, 'x');
      },
    ],
    ['sends early hints for ever', (_, response) => trickle(response, 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  ])('ends with a host that %s', async (_, answer) => {
    const { sink, guard, url } = await serve(answer);
    const error = await guard.fetch(url, { timeoutMs: 200 }).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(OutboundTimeoutError);
    expect(error).toMatchObject({ message: 'The host did not answer within 200 ms' });
    await sink.left();
  });

  it('ends with a body that comes letter by letter', async () => {
    const { sink, guard, url } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 1_000_000 }).flushHeaders();
      trickle(response, 'x');
    });
    const answer = await guard.fetch(url, { timeoutMs: 300 });
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toBeInstanceOf(OutboundTimeoutError);
    await sink.left();
  });

  it('ends with a body that nobody reads', async () => {
    const { sink, guard, url } = await serve((_, response) => {
      response.writeHead(200);
      response.write('x');
    });
    const answer = await guard.fetch(url, { timeoutMs: 300 });
    await sink.left();
    await expect(answer.text()).rejects.toBeInstanceOf(OutboundTimeoutError);
  });

  it('ends when the caller gives up, with its reason', async () => {
    const { sink, guard, url } = await serve((request, response) => {
      if (request.url === '/body') response.writeHead(200).flushHeaders();
    });
    const caller = new AbortController();
    const reason = new Error('shutting down');
    const waiting = guard.fetch(url, { signal: caller.signal });
    const answer = await guard.fetch(`${url}body`, { signal: caller.signal });
    const reading = answer.text();
    caller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(reading).rejects.toBe(reason);
    await expect(guard.fetch(url, { signal: caller.signal })).rejects.toBe(reason);
    await sink.left();
  });

  it('is that of silence alone for a stream, which may last', async () => {
    let pieces = 0;
    const { guard, url } = await serve((_, response) => {
      response.writeHead(200).flushHeaders();
      const timer = setInterval(() => {
        response.write('x');
        if (++pieces === 8) clearInterval(timer);
      }, 100);
      cleanups.push(() => clearInterval(timer));
    });
    const begun = performance.now();
    const answer = await guard.fetch(url, { timeoutMs: 500, idleTimeoutMs: 600 });
    let heard = '';
    const reading = (async () => {
      for await (const chunk of answer.body ?? []) heard += Buffer.from(chunk).toString();
    })();
    await expect(reading).rejects.toMatchObject({ name: 'OutboundTimeoutError', timeoutMs: 600 });
    expect(heard).toBe('xxxxxxxx');
    expect(performance.now() - begun).toBeGreaterThan(800 + 500);
  });
});

describe('the length of an answer', () => {
  it('is bounded: what is longer is cut off', async () => {
    let written = 0;
    const { sink, guard, url } = await serve((_, response) => {
      const piece = 'x'.repeat(64 * 1024);
      const write = () => {
        while (!response.destroyed && response.write(piece)) written += piece.length;
      };
      response.on('drain', write).on('error', () => {});
      write();
    });
    const error = await (await guard.fetch(url, { maxBytes: 100_000 })).text().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(OutboundFailedError);
    expect(error).toMatchObject({ message: 'The answer is longer than 100000 bytes', code: 'ANSWER_TOO_LONG' });
    await sink.left();
    // What sockets and buffers of both sides hold, not what the host would send.
    expect(written).toBeLessThan(32 * 1024 * 1024);
  });

  it('may be exactly the bound', async () => {
    const { guard, url } = await serve((_, response) => response.end('x'.repeat(100_000)));
    expect(await (await guard.fetch(url, { maxBytes: 100_000 })).text()).toHaveLength(100_000);
    await expect((await guard.fetch(url, { maxBytes: 99_999 })).text()).rejects.toBeInstanceOf(OutboundFailedError);
  });

  it('is that on the wire: nothing is decompressed', async () => {
    const { guard, url } = await serve((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('not gzip'));
    expect(await (await guard.fetch(url)).text()).toBe('not gzip');
  });

  it('can be left unread', async () => {
    const { sink, guard, url } = await serve((_, response) => {
      response.writeHead(200);
      response.write('x');
    });
    await (await guard.fetch(url)).body?.cancel();
    await sink.left();
  });
});

describe('connections', () => {
  it('are kept for the next request and bounded for each origin', async () => {
    const waiting: ServerResponse[] = [];
    const { sink, guard, url } = await serve((_, response) => {
      waiting.push(response);
      if (waiting.length === 16) for (const each of waiting.splice(0)) each.end('ok');
    });
    for (const round of [1, 2]) {
      const answers = await Promise.all(Array.from({ length: 32 }, () => guard.fetch(url).then((answer) => answer.text())));
      expect([round, answers.length, sink.connections]).toEqual([round, 32, 16]);
    }
  });

  it('end with the guard, and what still runs fails', async () => {
    const { sink, guard, url } = await serve((request, response) => {
      if (request.url === '/1') response.end('ok');
      else void guard.close();
    });
    await (await guard.fetch(`${url}1`)).text();
    await expect(guard.fetch(url)).rejects.toBeInstanceOf(OutboundFailedError);
    await sink.left();
  });
});
