import type { Frame, FrameStream } from '#core';
import type { StreamResponse, AnswerForm } from '#protocol';

export interface V03FramesOptions {
  readonly form: AnswerForm;
  /** End at INPUT_REQUIRED. A stream of 0.3 does; SubscribeToTask of 1.0 goes on. */
  readonly endsAtQuestion: boolean;
}

/** A stream in a form of 0.3, under the same sequence numbers. What it ends with is `final`, and nothing follows that. */
export class V03Frames implements FrameStream {
  constructor(
    private readonly stream: FrameStream,
    private readonly options: V03FramesOptions,
  ) {}

  close(): void {
    this.stream.close();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<readonly Frame[]> {
    for await (const batch of this.stream) {
      const frames: Frame[] = [];
      for (const frame of batch) {
        const written = this.#write(frame);
        frames.push(written);
        if (written.last) break;
      }
      yield frames;
      if (frames.at(-1)?.last) return;
    }
  }

  #write({ sequence, payload, last }: Frame): Frame {
    const { form, endsAtQuestion } = this.options;
    const response = JSON.parse(payload) as StreamResponse;
    const asks = endsAtQuestion && response.statusUpdate?.status.state === 'TASK_STATE_INPUT_REQUIRED';
    const final = last === true || asks;
    return { sequence, payload: JSON.stringify(form.streamResponse(response, final)), ...(final ? { last: true } : {}) };
  }
}
