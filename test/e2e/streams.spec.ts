import type { Received } from '../support/a2a-client.js';
import { A2AClient, stateOf, until } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';

/** The sequences of the frames, which must count on from the first. */
const gapFree = (frames: readonly Received[]): boolean => frames.every(({ id }, i) => id === (frames[0]?.id as number) + i);

const last = (frames: readonly Received[]): string | undefined =>
  frames.at(-1)?.response.statusUpdate?.status.state ?? frames.at(-1)?.response.task?.status.state;

async function collect(stream: AsyncGenerator<Received>, until_ = Number.POSITIVE_INFINITY): Promise<Received[]> {
  const frames: Received[] = [];
  for await (const frame of stream) {
    frames.push(frame);
    if (frames.length >= until_) break;
  }
  return frames;
}

describe('streams', () => {
  const cluster = useCluster({ apis: 2, workers: 2 });
  const onA = () => new A2AClient(cluster.apiUrl(0)).agent('script');
  const onB = () => new A2AClient(cluster.apiUrl(1)).agent('script');

  const started = async (script: string): Promise<string> => {
    const { id } = await onA().sendForTask(script, { returnImmediately: true });
    await until(onA(), id, (task) => stateOf(task) === 'TASK_STATE_WORKING');
    return id;
  };

  it('I2: a stream started on A and subscribed on B shows both every frame', async () => {
    const stream = onA().stream('working\nchunks 40 20\ncomplete done');
    const first = (await stream.next()).value as Received;
    const [rest, subscribed] = await Promise.all([collect(stream), collect(onB().subscribe(first.response.task?.id as string))]);
    const own = [first, ...rest];
    expect(own[0]?.response.task).toBeDefined();
    expect(gapFree(own)).toBe(true);
    expect(gapFree(subscribed)).toBe(true);
    expect(subscribed[0]?.response.task).toBeDefined();
    expect(last(own)).toBe('TASK_STATE_COMPLETED');
    expect(subscribed.slice(1)).toEqual(own.filter(({ id }) => (id as number) > (subscribed[0]?.id as number)));
  });

  it('I2: a connection dropped at event 3 of 100 is resumed on the other replica without a gap, however often', async () => {
    const frames = await collect(onA().stream('working\nchunks 100 10\ncomplete done'), 3);
    const id = frames[0]?.response.task?.id as string;
    for (let turn = 0; last(frames) !== 'TASK_STATE_COMPLETED'; turn += 1) {
      const resumed = await collect((turn % 2 ? onA() : onB()).subscribe(id, frames.at(-1)?.id), 20);
      expect(resumed[0]?.id).toBe(frames.at(-1)?.id);
      expect(resumed[0]?.response.task).toBeDefined();
      frames.push(...resumed.slice(1));
    }
    expect(gapFree(frames)).toBe(true);
    expect(frames.at(-1)?.id).toBe((await cluster.eventsOf(id)).length);
  });

  it('I5: a frame that a reader sees is committed', async () => {
    const id = await started('working\nchunks 50 5\ncomplete done');
    let checked = 0;
    for await (const frame of onB().subscribe(id)) {
      expect(await cluster.committedSequence(id)).toBeGreaterThanOrEqual(frame.id as number);
      checked += 1;
    }
    expect(checked).toBeGreaterThan(10);
  });

  it('200 streams of an agent that answers instantly each have the Task first and a terminal frame', async () => {
    const agent = new A2AClient(cluster.apiUrl(0)).agent('instant');
    for (let batch = 0; batch < 4; batch += 1) {
      const streams = await Promise.all(Array.from({ length: 50 }, (_, i) => collect(agent.stream(`n${i}`))));
      for (const frames of streams) {
        expect(frames[0]?.response.task).toBeDefined();
        expect(frames[0]?.id).toBe(1);
        expect(gapFree(frames)).toBe(true);
        expect(last(frames)).toBe('TASK_STATE_COMPLETED');
      }
    }
  });

  it('three subscribers see the identical order; closing one is harmless', async () => {
    const id = await started('working\nchunks 30 30\ncomplete done');
    const [a, b, c] = await Promise.all([
      collect(onA().subscribe(id, 1)),
      collect(onB().subscribe(id, 1)),
      collect(onB().subscribe(id, 1), 3),
    ]);
    expect(a).toEqual(b);
    expect(c).toEqual(a?.slice(0, 3));
    expect(stateOf(await onA().get(id))).toBe('TASK_STATE_COMPLETED');
  });

  it('a message to a task is seen at once by those who follow the task through another replica', async () => {
    const id = await started('working\nsleep 60000');
    const stream = onB().subscribe(id);
    await stream.next();
    let waited = 0;
    for (let i = 0; i < 8; i += 1) {
      const { history } = await onA().sendForTask(`next ${i}`, { taskId: id, returnImmediately: true });
      const from = performance.now();
      const frame = (await stream.next()).value as Received;
      waited += performance.now() - from;
      expect(frame.response.statusUpdate?.status.state).toBe('TASK_STATE_WORKING');
      expect(history).toHaveLength(i + 2);
    }
    // Readers that nobody tells find out within a second: half of one on average.
    expect(waited).toBeLessThan(1500);
    await onA().cancel(id);
    await collect(stream);
  });

  it('a stream closed after its first frame does not touch the task', async () => {
    const [first] = await collect(onA().stream('working\nsleep 200\ncomplete done'), 1);
    const id = first?.response.task?.id as string;
    expect(
      stateOf(
        await until(onB(), id, (task) => stateOf(task) !== 'TASK_STATE_WORKING' && stateOf(task) !== 'TASK_STATE_SUBMITTED'),
      ),
    ).toBe('TASK_STATE_COMPLETED');
  });

  it('a subscription to a task that has ended is a direct error; with Last-Event-ID the missed events are served', async () => {
    const { id } = await onA().sendForTask('working\nartifact a b\ncomplete done');
    await expect(collect(onB().subscribe(id))).rejects.toMatchObject({ code: -32004 });
    const frames = await collect(onB().subscribe(id, 2));
    expect(frames.map(({ id: sequence }) => sequence)).toEqual([2, 3, 4]);
    expect(frames[0]?.response.task?.status.state).toBe('TASK_STATE_WORKING');
    expect(last(frames)).toBe('TASK_STATE_COMPLETED');
    await expect(collect(onB().subscribe(id, 99))).rejects.toMatchObject({ code: -32602 });
    await expect(collect(onB().with({ 'last-event-id': 'x' }).subscribe(id))).rejects.toMatchObject({ code: -32602 });
  });

  it('SendStreamingMessage ends at INPUT_REQUIRED and stays open over AUTH_REQUIRED; SubscribeToTask ends only at the end', async () => {
    const asked = await collect(onA().stream('working\ninput what?'));
    expect(last(asked)).toBe('TASK_STATE_INPUT_REQUIRED');
    const id = asked[0]?.response.task?.id as string;
    const subscribed = collect(onB().subscribe(id));
    await onA().sendForTask('complete this', { taskId: id });
    expect(last(await subscribed)).toBe('TASK_STATE_COMPLETED');

    const auth = onA().stream('working\nauth sign in');
    const opening = (await auth.next()).value as Received;
    const rest = collect(auth);
    await until(onB(), opening.response.task?.id as string, (task) => stateOf(task) === 'TASK_STATE_AUTH_REQUIRED');
    await onB().sendForTask('complete signed in', { taskId: opening.response.task?.id as string });
    expect(last(await rest)).toBe('TASK_STATE_COMPLETED');
  });

  it('text with newlines, CRLF, U+2028 and emoji arrives byte for byte in one data line', async () => {
    const data = '\n\r\n\u2028\u2029 🙂 \ud83d\ude00 end';
    const agent = new A2AClient(cluster.apiUrl(0)).agent('echo');
    const task = await agent.sendForTask(data);
    expect(task.status.message?.parts[0]?.text).toContain(data);
    const frames = await collect(agent.stream(data));
    expect(frames.at(-1)?.response.statusUpdate?.status.message?.parts[0]?.text).toContain(data);
  });

  it('an API killed in mid-stream: the client resumes elsewhere and reaches the end', async () => {
    const frames: Received[] = [];
    await expect(
      (async () => {
        for await (const frame of onA().stream('working\nchunks 60 50\ncomplete done')) {
          frames.push(frame);
          if (frames.length === 5) await cluster.killApi(0);
        }
      })(),
    ).rejects.toThrow();
    const rest = await collect(onB().subscribe(frames[0]?.response.task?.id as string, frames.at(-1)?.id));
    frames.push(...rest.slice(1));
    expect(gapFree(frames)).toBe(true);
    expect(last(frames)).toBe('TASK_STATE_COMPLETED');
    await cluster.startApi(0);
  });
});
