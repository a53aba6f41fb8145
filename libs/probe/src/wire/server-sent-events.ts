import { WireFault } from './wire-fault.js';

export interface ServerSentEvent {
  readonly id?: string;
  readonly event?: string;
  readonly data: string;
}

const LF = 0x0a;

/**
 * The events of a `text/event-stream` body, as the HTML standard reads them. A line that never ends is refused at `maxLine` bytes, so
 * is an event of so many lines.
 */
export async function* serverSentEvents(chunks: AsyncIterable<Buffer>, maxLine: number): AsyncIterable<ServerSentEvent> {
  let event = emptyEvent();
  for await (const line of lines(chunks, maxLine)) {
    if (line === '') {
      if (event.data.length > 0) yield { ...event, data: event.data.join('\n') };
      event = emptyEvent();
      continue;
    }
    if (line.startsWith(':')) continue;
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') event.data.push(value);
    else if (field === 'id') event.id = value;
    else if (field === 'event') event.event = value;
  }
}

const emptyEvent = (): { id?: string; event?: string; data: string[] } => ({ data: [] });

async function* lines(chunks: AsyncIterable<Buffer>, maxLine: number): AsyncIterable<string> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(LF, from); end >= 0; end = chunk.indexOf(LF, from)) {
      const line = Buffer.concat([...held, chunk.subarray(from, end)]).toString('utf8');
      held = [];
      size = 0;
      from = end + 1;
      yield line.endsWith('\r') ? line.slice(0, -1) : line;
    }
    held.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > maxLine) throw new WireFault(`a line of more than ${maxLine} bytes in an event stream`);
  }
}
