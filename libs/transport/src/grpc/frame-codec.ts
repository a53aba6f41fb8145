import { FRAME_LIMIT_BYTES, fitFrame } from '#core';
import type { StreamResponse, Task } from '#protocol';
import type { WireCodec } from './wire-codec.js';

const TASK_FRAME = '{"task":';
/** What `fitFrame` may be asked for. */
const LEAST_LIMIT_BYTES = 256 * 1024;

/** The frames of streams as protobuf. One event goes to all who watch a task: it is encoded once while they take it. */
export class FrameCodec {
  #lastText = '';
  #lastBytes: Buffer = Buffer.alloc(0);

  constructor(private readonly codec: WireCodec) {}

  encode(text: string): Buffer {
    if (text === this.#lastText) return this.#lastBytes;
    const bytes = this.#fitting(text);
    this.#lastText = text;
    this.#lastBytes = bytes;
    return bytes;
  }

  /**
   * Text that fits may not fit as protobuf: numbers in data parts and metadata grow there. Then a Task frame leaves out more,
   * in proportion.
   */
  #fitting(text: string): Buffer {
    const bytes = this.codec.encode(text);
    if (bytes.length <= FRAME_LIMIT_BYTES || !text.startsWith(TASK_FRAME)) return bytes;
    const task = (JSON.parse(text) as StreamResponse).task as Task;
    let smaller = bytes;
    let limit = Buffer.byteLength(text);
    while (smaller.length > FRAME_LIMIT_BYTES && limit > LEAST_LIMIT_BYTES) {
      limit = Math.max(LEAST_LIMIT_BYTES, Math.floor(((limit * FRAME_LIMIT_BYTES) / smaller.length) * 0.9));
      smaller = this.codec.encode(`${TASK_FRAME}${fitFrame(task, limit)}}`);
    }
    return smaller;
  }
}
