import { A2AClient, type Received } from '../support/a2a-client.js';
import type { Cluster } from '../support/cluster.js';

export interface Run {
  readonly id: string;
  /** Every frame that the client saw, over all its reconnects; the Task frames of reconnects left out. */
  readonly frames: readonly Received[];
}

const ended = (frames: readonly Received[]): boolean => {
  const state = frames.at(-1)?.response.statusUpdate?.status.state;
  return state === 'TASK_STATE_COMPLETED' || state === 'TASK_STATE_FAILED' || state === 'TASK_STATE_CANCELED';
};

/** Starts `count` countdowns over all APIs and follows each to its end, reconnecting to the next replica when a stream breaks. */
export async function runCountdowns(cluster: Cluster, count: number, text: string): Promise<Run[]> {
  const agents = cluster.apiUrls().map((url) => new A2AClient(url).agent('countdown'));
  const at = (n: number): A2AClient => agents[n % agents.length] as A2AClient;
  return Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const { id } = await at(n).sendForTask(text, { returnImmediately: true });
      const frames: Received[] = [];
      for (let turn = n; !ended(frames); turn += 1) {
        let opening = true;
        try {
          for await (const frame of at(turn).subscribe(id, frames.at(-1)?.id ?? 1)) {
            if (!opening || frames.length === 0) frames.push(frame);
            opening = false;
          }
        } catch (error) {
          // Not by class: the error of fetch is made outside of the test's own world.
          if ((error as Error).name !== 'TypeError') throw error;
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
      }
      return { id, frames };
    }),
  );
}

/** Every task completed with every number once and in order; every stream gap-free and equal to the log. */
export async function verifyCountdowns(cluster: Cluster, runs: readonly Run[], from: number): Promise<void> {
  const expected = Array.from({ length: from + 1 }, (_, i) => from - i);
  const client = new A2AClient(cluster.apiUrl(0)).agent('countdown');
  for (const { id, frames } of runs) {
    const events = await cluster.eventsOf(id);
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, i) => i + 1));
    expect(frames.map((frame) => frame.id)).toEqual(events.map(({ sequence }) => sequence));
    expect(frames.slice(1).map(({ response }) => response)).toEqual(events.slice(1).map(({ payload }) => JSON.parse(payload)));
    const task = await client.get(id);
    expect(task.status.state).toBe('TASK_STATE_COMPLETED');
    const numbers = (task.artifacts ?? []).flatMap(({ parts }) => parts.map(({ text }) => Number(text)));
    expect(numbers).toEqual(expected);
  }
}
