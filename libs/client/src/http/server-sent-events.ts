export interface ServerSentEvent {
  readonly id?: string;
  readonly data: string;
}

/** A line, or an event of many lines, is longer than it may be. */
export class EventTooLongError extends Error {
  override readonly name = 'EventTooLongError';

  constructor(readonly maxBytes: number) {
    super(`An event of the stream is longer than ${maxBytes} bytes`);
  }
}

const LF = 0x0a;
const CR = 0x0d;

/**
 * The events of a `text/event-stream` body, as the HTML standard reads them, but for lines that end in CR alone, which no
 * server of A2A writes. An event that the end of the body cuts off is not one. Throws EventTooLongError.
 */
export async function* serverSentEvents(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<ServerSentEvent> {
  let data: string[] = [];
  let id: string | undefined;
  let bytes = 0;
  for await (const line of linesOf(chunks, maxBytes)) {
    if (line === '') {
      if (data.length > 0) yield { ...(id === undefined ? {} : { id }), data: data.join('\n') };
      [data, id, bytes] = [[], undefined, 0];
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'id') id = value;
    if (field !== 'data') continue;
    bytes += value.length;
    if (bytes > maxBytes) throw new EventTooLongError(maxBytes);
    data.push(value);
  }
}

async function* linesOf(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<string> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const bytes of chunks) {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    let from = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, from)) {
      const line = held.length === 0 ? chunk.subarray(from, end) : Buffer.concat([...held, chunk.subarray(from, end)]);
      [held, size] = [[], 0];
      from = end + 1;
      yield line.at(-1) === CR ? line.toString('utf8', 0, line.length - 1) : line.toString('utf8');
    }
    if (from < chunk.length) held.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > maxBytes) throw new EventTooLongError(maxBytes);
  }
}
