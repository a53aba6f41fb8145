import { SILENT } from '../logger.js';
import type { AgentFetch } from './agent-fetch.js';
import { ControlledExecutor, hosted, RecordingBus, RecordingLogger, RecordingQueue } from './controlled-agent.spec-support.js';
import { EventPublisher } from './event-publisher.js';
import { WatchedTurnStore } from './watched-turn-store.spec-support.js';
import type { HostedAgent } from './hosted-agent.js';
import { type LeaseHolder, LeaseKeeper } from './lease-keeper.js';
import { TaskRunner, type TaskRunnerOptions } from './task-runner.js';

export const TASK = '01900000-0000-7000-8000-000000000001';

export const hint = (taskId = TASK) => ({ agentId: 'a', taskId, turn: 1, epoch: 0 });

/** Of agents under test. */
export const noFetch = (): Promise<never> => Promise.reject(new Error('There is no network here'));

/** A worker's execution parts around one agent, with the leases kept by hand: nothing ticks unless the test beats. */
export function runnerWith(
  options: Partial<TaskRunnerOptions> & {
    executor?: ControlledExecutor;
    agent?: Partial<HostedAgent>;
    fetch?: AgentFetch;
    stopsOnAbort?: boolean;
  } = {},
) {
  const store = new WatchedTurnStore();
  const bus = new RecordingBus();
  const queue = new RecordingQueue();
  const logger = new RecordingLogger();
  const executor = options.executor ?? new ControlledExecutor({ stopsOnAbort: options.stopsOnAbort ?? true });
  const publisher = new EventPublisher(bus, logger);
  const leases = new LeaseKeeper(store, bus, SILENT, { workerId: 'w1', leaseMs: 9000, heartbeatMs: 3000, outageMs: 60_000 });
  /** Who was given to the lease keeper, in order. */
  const holders: LeaseHolder[] = [];
  const keeping = {
    hold: (holder: LeaseHolder) => {
      holders.push(holder);
      leases.hold(holder);
    },
    release: (holder: LeaseHolder) => leases.release(holder),
  };
  const runner = new TaskRunner(
    [hosted(executor, options.agent)],
    {
      ...{ store, queue, publisher, leases: keeping, logger, memory: store.memory, fetch: options.fetch ?? noFetch },
      clock: { now: () => Date.parse('2026-01-02T03:04:05.678Z') },
    },
    {
      ...{ workerId: 'w1', concurrency: 2, leaseMs: 9000, turnTimeoutMs: 60_000, silenceTimeoutMs: 60_000, cancelGraceMs: 30 },
      ...options,
    },
  );
  const states = (taskId = TASK) => store.row(taskId).events.map(({ state }) => state.replace('TASK_STATE_', ''));
  const frames = (taskId = TASK) => store.row(taskId).events.map(({ payload }) => JSON.parse(payload));
  /** The lease keeper asks the store now, and has told the turn what it answered. */
  const beat = async (): Promise<void> => {
    leases.beat();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { store, bus, queue, logger, executor, publisher, leases, holders, runner, states, frames, beat };
}

/** Resolves once `holds` does; fails with the test's own timeout otherwise. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** Gives everything that is ready the chance to run. */
export async function turnsOfTheLoop(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
