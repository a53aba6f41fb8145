import type { Dispatcher } from 'undici';
import type { Deadline } from './deadline.js';
import { OutboundFailedError, outboundError } from './errors.js';

/** Statuses that a `Response` with a body cannot have. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/**
 * The standard form of an answer. Its body is read from the socket as it is asked for, ends in an error after `maxBytes`, and with the
 * deadline, which also closes the connection of a body that nobody reads.
 * @param received headers in raw form: names and values in turn.
 */
export function answerOf(received: Dispatcher.ResponseData, deadline: Deadline, maxBytes: number): Response {
  const { statusCode: status, body } = received;
  body.on('error', () => {});
  body.once('close', () => deadline.end());
  try {
    if (status > 599) throw new OutboundFailedError('The answer is not valid HTTP', 'INVALID_STATUS');
    const headers = headersOf(received.headers as unknown as readonly string[]);
    if (!WITHOUT_BODY.has(status)) return new Response(boundedStream(body, deadline, maxBytes), { status, headers });
    body.resume();
    return new Response(null, { status, headers });
  } catch (error) {
    body.destroy();
    throw error;
  }
}

function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < raw.length; at += 2) headers.append(raw[at] ?? '', raw[at + 1] ?? '');
  return headers;
}

function boundedStream(body: Dispatcher.ResponseData['body'], deadline: Deadline, maxBytes: number): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]();
  let bytes = 0;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = (await chunks.next()) as IteratorResult<Uint8Array, undefined>;
          if (done === true) return controller.close();
          deadline.heard();
          bytes += value.length;
          if (bytes > maxBytes) {
            throw new OutboundFailedError(`The answer is longer than ${maxBytes} bytes`, 'ANSWER_TOO_LONG');
          }
          controller.enqueue(value);
        } catch (error) {
          body.destroy();
          controller.error(deadline.signal.aborted ? deadline.signal.reason : outboundError(error));
        }
      },
      cancel: () => {
        body.destroy();
      },
    },
    // Nothing is read before it is asked for: a caller that wants only the status reads nothing.
    { highWaterMark: 0 },
  );
}
