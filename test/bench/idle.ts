import { fork, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { call, makeTask } from './call.js';
import { startChorus } from './chorus-target.js';
import type { Heard, WatchJob } from './load/watchers.js';
import type { WatchRequest } from './load/watch-process.js';
import { residentMemory } from './resident-memory.js';

const AGENT = 'asks';
const SUBSCRIPTIONS = 10_000;
const EVENTS = 5;

export interface Idle {
  /** MiB of the API process without subscriptions, with those over SSE, and with those over gRPC as well. */
  readonly memory: { readonly before: number; readonly sse: number; readonly both: number };
  /** Milliseconds from the first subscription that has an event to the last, and from the message that made it to the last; the slowest. */
  readonly spreadMs: number;
  readonly sinceSentMs: number;
}

/** 10,000 subscriptions over SSE and 10,000 over gRPC at one API process, and one event to all of them. */
export async function idle({ redis }: { redis: boolean }): Promise<Idle> {
  const chorus = await startChorus({ redis });
  const sse = new WatchProcess();
  const grpc = new WatchProcess();
  const memory = (): number =>
    Object.entries(residentMemory(chorus.processes())).find(([name]) => name.startsWith('api'))?.[1] ?? NaN;
  try {
    const taskId = await makeTask(chorus.port, AGENT, 'watched');
    const job = { agentId: AGENT, taskId, count: SUBSCRIPTIONS };
    const before = memory();
    await sse.ask({ open: { ...job, binding: 'JSON-RPC', port: chorus.port } satisfies WatchJob });
    const withSse = memory();
    await grpc.ask({ open: { ...job, binding: 'gRPC', port: chorus.grpcPort } satisfies WatchJob });
    const both = memory();
    console.log(
      `memory of the API, MiB: ${before}; ${withSse} with ${SUBSCRIPTIONS} over SSE; ${both} with ${SUBSCRIPTIONS} over gRPC as well`,
    );
    const rounds: { spreadMs: number; sinceSentMs: number }[] = [];
    for (let n = 1; n <= EVENTS; n += 1) {
      const text = `event-${n}-of-many`;
      const heard = [sse, grpc].map((watchers) => watchers.ask<Heard>({ hear: text }));
      const sent = performance.timeOrigin + performance.now();
      const message = { messageId: text, taskId, role: 'ROLE_USER', parts: [{ text }] };
      await call(chorus.port, AGENT, 'SendMessage', { message, configuration: { returnImmediately: true } });
      const both = await Promise.all(heard);
      const last = Math.max(...both.map((one) => one.last));
      rounds.push({ spreadMs: last - Math.min(...both.map(({ first }) => first)), sinceSentMs: last - sent });
      console.log(
        `event ${n}: to all within ${rounds.at(-1)?.spreadMs.toFixed(0)} ms, ${rounds.at(-1)?.sinceSentMs.toFixed(0)} ms after it was sent`,
      );
    }
    const slowest = (key: 'spreadMs' | 'sinceSentMs'): number => Math.max(...rounds.map((round) => round[key]));
    return { memory: { before, sse: withSse, both }, spreadMs: slowest('spreadMs'), sinceSentMs: slowest('sinceSentMs') };
  } finally {
    sse.stop();
    grpc.stop();
    await chorus.stop();
  }
}

/** Subscriptions in a process of their own, so that what is measured does not wait for what measures. */
class WatchProcess {
  readonly #child: ChildProcess = fork(fileURLToPath(new URL('./load/watch-process.js', import.meta.url)));

  ask<Result>(request: WatchRequest): Promise<Result> {
    return new Promise((resolve, reject) => {
      const ended = (): void => reject(new Error('The process of the watchers has ended'));
      this.#child.once('exit', ended);
      this.#child.once('message', ({ result, error }: { result: Result; error?: string }) => {
        this.#child.off('exit', ended);
        if (error === undefined) resolve(result);
        else reject(new Error(error));
      });
      this.#child.send(request, (error) => error && ended());
    });
  }

  stop(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}
