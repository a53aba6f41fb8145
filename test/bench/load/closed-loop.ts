import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from './connection.js';
import { requestsOf, type RequestPlan } from './requests.js';

export interface LoadJob {
  readonly port: number;
  /** How many requests are on the wire at once. */
  readonly connections: number;
  readonly warmUpMs: number;
  readonly measureMs: number;
  /** All connections stop after this many requests, the warm-up's included. */
  readonly maxRequests: number;
  readonly plan: RequestPlan;
}

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers that were not the expected one, and failed connections. */
  readonly errors: number;
  readonly firstError?: string;
}

/** Each connection sends its next request when the last one is answered. Answers that end in the measured time count. */
export async function runClosedLoop(job: LoadJob): Promise<LoadResult> {
  const latencies: number[] = [];
  const faults: string[] = [];
  const requests = requestsOf(job.plan);
  const start = performance.now();
  const from = start + job.warmUpMs;
  const until = from + job.measureMs;
  let sent = 0;
  let last = from;

  const drive = async (connection: Connection): Promise<void> => {
    while (performance.now() < until && sent < job.maxRequests) {
      const request = requests.next(sent++);
      const began = performance.now();
      try {
        const fault = requests.faultOf(await connection.exchange(request));
        if (fault !== undefined) faults.push(fault);
      } catch (error) {
        faults.push(String(error));
        connection.close();
        await sleep(50);
      }
      const ended = performance.now();
      if (ended < from || ended > until) continue;
      latencies.push(ended - began);
      last = ended;
    }
  };

  const connections = requests.connect(job.port, job.connections);
  await Promise.all(connections.map(drive));
  for (const connection of connections) connection.close();

  latencies.sort((a, b) => a - b);
  const at = (share: number): number => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? NaN;
  // Ended by the count, not by the time: only the time until the last answer was measured.
  const measuredMs = sent < job.maxRequests ? job.measureMs : last - from;
  return {
    requests: latencies.length,
    perSecond: (latencies.length * 1000) / measuredMs,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    errors: faults.length,
    ...(faults.length === 0 ? {} : { firstError: faults[0] }),
  };
}
