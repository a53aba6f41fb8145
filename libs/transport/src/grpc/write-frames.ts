import { constants, type ServerHttp2Stream } from 'node:http2';
import type { FrameStream } from '#core';
import type { Metadata } from '@grpc/grpc-js';
import type { FrameCodec } from './frame-codec.js';
import type { StreamingCall } from './grpc-request.js';

/** Response metadata of a stream: the number of its first frame. Each frame that follows is the next number. */
export const EVENT_ID_KEY = 'a2a-event-id';

export interface WriteFramesOptions {
  readonly frames: FrameCodec;
  /** To be sent before the first frame. */
  readonly metadata: Metadata;
  /** How long the transport may take nothing before the call is cut, in milliseconds. */
  readonly stallMs: number;
}

/**
 * Writes a stream to its call and resolves when it is over: the last frame was written, the client went away, or it stopped
 * reading. More is pulled only when the transport has taken what came before, so a slow reader holds nothing. Ends the call but
 * when it rejects, with what the stream rejected with.
 */
export async function writeFrames(
  call: StreamingCall,
  stream: FrameStream,
  { frames, metadata, stallMs }: WriteFramesOptions,
): Promise<void> {
  const onCancelled = (): void => stream.close();
  call.once('cancelled', onCancelled);
  if (call.cancelled) stream.close();
  let begun = false;
  try {
    for await (const batch of stream) {
      for (const { sequence, payload } of batch) {
        if (call.cancelled) return;
        if (!begun) call.sendMetadata(withEventId(metadata, sequence));
        begun = true;
        if (!call.write(frames.encode(payload)) && !(await drained(call, stallMs))) return;
      }
    }
    call.end();
  } finally {
    call.off('cancelled', onCancelled);
    stream.close();
  }
}

function withEventId(metadata: Metadata, sequence: number): Metadata {
  if (sequence > 0) metadata.set(EVENT_ID_KEY, String(sequence));
  return metadata;
}

/**
 * Resolves true when the transport has taken everything, false when the client went away. One that takes nothing for `stallMs`
 * is cut off: a clean end would tell it that the stream is complete.
 */
function drained(call: StreamingCall, stallMs: number): Promise<boolean> {
  const transport = transportOf(call);
  return new Promise((resolve) => {
    const onStall = (): void => transport.close(constants.NGHTTP2_CANCEL);
    const settle = (value: boolean) => (): void => {
      transport.setTimeout(0);
      transport.off('timeout', onStall);
      call.off('drain', onDrain).off('cancelled', onCancelled);
      resolve(value);
    };
    const onDrain = settle(true);
    const onCancelled = settle(false);
    // The stream's own timer, because it sees progress in the midst of one large write: no length that is visible here does.
    transport.setTimeout(stallMs);
    transport.on('timeout', onStall);
    call.on('drain', onDrain).on('cancelled', onCancelled);
    if (call.cancelled) onCancelled();
  });
}

/** The HTTP/2 stream under a call. grpc-js has no other way to see its progress, nor to reset it. */
export const transportOf = (call: unknown): ServerHttp2Stream =>
  (call as { readonly call: { readonly stream: ServerHttp2Stream } }).call.stream;
