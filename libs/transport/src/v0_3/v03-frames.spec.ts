import type { Frame, FrameStream } from '#core';
import { type StreamResponse, type TaskState, KIND_FORM } from '#protocol';
import { V03Frames } from './v03-frames.js';

const status = (state: TaskState): StreamResponse => ({ statusUpdate: { taskId: 't', contextId: 'c', status: { state } } });
const WORKING = status('TASK_STATE_WORKING');
const ASKING = status('TASK_STATE_INPUT_REQUIRED');
const DONE = status('TASK_STATE_COMPLETED');
const TASK: StreamResponse = { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } } };

/** The batches, with numbers from 1; the very last frame is marked so when `ends`. */
function streamOf(batches: readonly (readonly StreamResponse[])[], ends: boolean): FrameStream & { closed: boolean } {
  const count = batches.flat().length;
  let sequence = 0;
  return {
    closed: false,
    close() {
      this.closed = true;
    },
    async *[Symbol.asyncIterator]() {
      for (const batch of batches) {
        yield batch.map((response): Frame => {
          sequence += 1;
          const frame = { sequence, payload: JSON.stringify(response) as never };
          return ends && sequence === count ? { ...frame, last: true } : frame;
        });
      }
    },
  };
}

async function written(batches: readonly (readonly StreamResponse[])[], { endsAtQuestion = false, ends = true } = {}) {
  const told: unknown[] = [];
  for await (const batch of new V03Frames(streamOf(batches, ends), { form: KIND_FORM, endsAtQuestion })) {
    for (const { sequence, payload, last } of batch) {
      const { kind, status, final } = JSON.parse(payload) as Record<string, never> & { status: { state: string } };
      told.push([sequence, kind, status.state, final, last]);
    }
  }
  return told;
}

const FIRST = [1, 'task', 'submitted', undefined, undefined];

describe('V03Frames', () => {
  it('keeps the numbers, and calls the last event final', async () => {
    expect(await written([[TASK], [WORKING, DONE]])).toEqual([
      FIRST,
      [2, 'status-update', 'working', false, undefined],
      [3, 'status-update', 'completed', true, true],
    ]);
  });

  it('ends at a question where 1.0 would go on', async () => {
    const batches = [[TASK], [WORKING, ASKING, WORKING], [DONE]];
    expect(await written(batches, { endsAtQuestion: true })).toEqual([
      FIRST,
      [2, 'status-update', 'working', false, undefined],
      [3, 'status-update', 'input-required', true, true],
    ]);
    expect(await written(batches)).toHaveLength(5);
  });

  it('calls no event final before the end is known', async () => {
    expect(await written([[TASK, WORKING]], { ends: false })).toEqual([FIRST, [2, 'status-update', 'working', false, undefined]]);
  });

  it('closes the stream that it reads', () => {
    const stream = streamOf([], true);
    new V03Frames(stream, { form: KIND_FORM, endsAtQuestion: true }).close();
    expect(stream.closed).toBe(true);
  });
});
