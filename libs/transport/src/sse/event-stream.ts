import type { ServerResponse } from 'node:http';
import type { Frame } from '#core';
import type { HttpHeaders, StreamAnswer } from '../http.js';
import type { KeepAlive } from './keep-alive.js';

export const STREAM_HEADERS: HttpHeaders = Object.freeze({
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
});

export interface EventStreamOptions {
  readonly keepAlive: KeepAlive;
  /** How long a full socket may stand still before it is destroyed, in milliseconds. */
  readonly stallMs: number;
}

/**
 * Writes a stream as Server-Sent Events and resolves when it is over: the last frame was written, the client went away, or it
 * stopped reading. The next batch is pulled only when the socket has taken the one before, so a slow reader holds nothing.
 */
export async function writeEventStream(
  response: ServerResponse,
  answer: StreamAnswer,
  headers: HttpHeaders,
  { keepAlive, stallMs }: EventStreamOptions,
): Promise<void> {
  const { stream } = answer;
  const beat = (): void => {
    if (!response.writableNeedDrain) response.write(': keep-alive\n\n');
  };
  const onClose = (): void => stream.close();
  response.once('close', onClose);
  response.writeHead(200, headers);
  response.flushHeaders();
  keepAlive.add(beat);
  try {
    if (response.destroyed) stream.close();
    for await (const frames of stream) {
      if (response.destroyed) return;
      if (!response.write(textOf(frames, answer)) && !(await drained(response, stallMs))) return;
    }
  } catch (error) {
    if (!response.destroyed) response.write(answer.failure(error));
  } finally {
    keepAlive.delete(beat);
    response.off('close', onClose);
    stream.close();
    response.end();
  }
}

/** Each frame is one event with one `data:` line: ProtoJSON text holds no line break. A frame without a sequence has no id. */
function textOf(frames: readonly Frame[], { before, after }: StreamAnswer): string {
  let text = '';
  for (const { sequence, payload } of frames) {
    text += sequence > 0 ? `id: ${sequence}\ndata: ${before}${payload}${after}\n\n` : `data: ${before}${payload}${after}\n\n`;
  }
  return text;
}

/**
 * Resolves true when the socket has taken everything, false when the client went away. A reader that takes nothing for
 * `stallMs` is cut off: a clean end would tell it that the stream is complete.
 */
function drained(response: ServerResponse, stallMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const onStall = (): void => void response.destroy();
    const settle = (value: boolean) => (): void => {
      response.setTimeout(0).off('timeout', onStall).off('drain', onDrain).off('close', onClose);
      resolve(value);
    };
    const onDrain = settle(true);
    const onClose = settle(false);
    // The socket's own timer, because it sees progress in the midst of one large write: no length that is visible here does.
    response.setTimeout(stallMs).on('timeout', onStall).on('drain', onDrain).on('close', onClose);
    if (response.destroyed) onClose();
  });
}
