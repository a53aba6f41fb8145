import type { Artifact, Message, Task } from '#protocol';
import { FRAME_LIMIT_BYTES, OMITTED_ARTIFACTS, OMITTED_MESSAGES, fitFrame } from './fit-frame.js';

const KIB = 1024;

const artifact = (artifactId: string, size: number): Artifact => ({ artifactId, parts: [{ text: 'x'.repeat(size) }] });
const message = (messageId: string, size: number): Message => ({
  messageId,
  role: 'ROLE_USER',
  parts: [{ text: 'x'.repeat(size) }],
});
const task = (more: Partial<Task>): Task => ({ id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' }, ...more });

const fitted = (whole: Task): Task => {
  const text = fitFrame(whole);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(FRAME_LIMIT_BYTES);
  return JSON.parse(text) as Task;
};

describe('a Task frame', () => {
  it.each([
    ['small', task({ artifacts: [artifact('a', 10)], metadata: { x: 1 } })],
    ['just within the limit', task({ artifacts: [artifact('a', FRAME_LIMIT_BYTES - KIB)] })],
  ])('is the task itself when it is %s', (_, whole) => {
    expect(fitFrame(whole)).toBe(JSON.stringify(whole));
  });

  it('leaves out the largest artifacts, no more than it must, and says which', () => {
    const artifacts = [
      artifact('small', KIB),
      artifact('huge', 3000 * KIB),
      artifact('large', 2000 * KIB),
      artifact('mid', 500 * KIB),
    ];
    const frame = fitted(task({ artifacts, metadata: { mine: true } }));
    expect(frame.artifacts?.map(({ artifactId }) => artifactId)).toEqual(['small', 'large', 'mid']);
    expect(frame.metadata).toEqual({ mine: true, [OMITTED_ARTIFACTS]: ['huge'] });
  });

  it('leaves out large messages of the history and of the status', () => {
    const said = message('said', 5000 * KIB);
    const frame = fitted(
      task({
        status: { state: 'TASK_STATE_COMPLETED', message: said },
        artifacts: [artifact('a', KIB)],
        history: [message('asked', 9000 * KIB), message('thanks', KIB), said],
      }),
    );
    expect(frame.status).toEqual({ state: 'TASK_STATE_COMPLETED' });
    expect(frame.history?.map(({ messageId }) => messageId)).toEqual(['thanks']);
    expect(frame.artifacts?.map(({ artifactId }) => artifactId)).toEqual(['a']);
    expect(frame.metadata).toEqual({ [OMITTED_MESSAGES]: ['asked', 'said'] });
  });

  it('counts bytes, not characters', () => {
    const frame = fitted(task({ artifacts: [{ artifactId: 'a', parts: [{ text: '日'.repeat(2000 * KIB) }] }] }));
    expect(frame).toEqual(task({ metadata: { [OMITTED_ARTIFACTS]: ['a'] } }));
  });

  it('looks at each of ten thousand artifacts a fixed number of times', () => {
    let looks = 0;
    const artifacts = Array.from({ length: 10_000 }, (_, index) => {
      const parts = [{ text: 'x'.repeat(KIB) }];
      return Object.defineProperty({ artifactId: `a${index}` } as Artifact, 'parts', {
        enumerable: true,
        get: () => {
          looks += 1;
          return parts;
        },
      });
    });
    const frame = fitted(task({ artifacts }));
    expect(frame.artifacts?.length).toBeGreaterThan(3500);
    expect(looks).toBeLessThanOrEqual(3 * artifacts.length);
  });

  it('fits even when the names alone would not', () => {
    const artifacts = Array.from({ length: 60_000 }, (_, index) => artifact(`${'name'.repeat(25)}${index}`, 10));
    const frame = fitted(task({ artifacts }));
    const names = frame.metadata?.[OMITTED_ARTIFACTS] as string[];
    expect(names.length).toBeGreaterThan(100);
    expect(names.length).toBeLessThan(artifacts.length - (frame.artifacts?.length ?? 0));
  });
});
