import { RecordingLogger, RecordingQueue } from '../execution/controlled-agent.spec-support.js';
import { hint, runnerWith, TASK } from '../execution/runner-fixture.spec-support.js';
import { DirectClaims } from './direct-claims.js';

function claiming() {
  const { runner, store: turns, executor } = runnerWith({ concurrency: 2 });
  const queue = new RecordingQueue();
  const logger = new RecordingLogger();
  const asked: { agentIds?: readonly string[]; limit: number }[] = [];
  const store = {
    takePending: async (options: { agentIds?: readonly string[]; limit: number }) => {
      asked.push(options);
      return [{ taskId: TASK, agentId: 'a', turn: 1, epoch: 0 }];
    },
  };
  const claims = new DirectClaims(store, queue, runner, logger);
  return { claims, queue, runner, turns, executor, asked, logger, store };
}

describe('DirectClaims', () => {
  it('leaves the store alone while the queue answers', async () => {
    const { claims, asked } = claiming();
    await claims.poll();
    expect(asked).toEqual([]);
  });

  it('takes work for the free slots of the hosted agents while it does not, and says so once', async () => {
    const { claims, queue, turns, runner, executor, asked, logger } = claiming();
    queue.isHealthy = false;
    await turns.accept(TASK, 'hi');
    await claims.poll();
    await executor.started();
    await claims.poll();
    expect(asked.map(({ agentIds, limit }) => [agentIds, limit])).toEqual([
      [['a'], 2],
      [['a'], 1],
    ]);
    expect(logger.lines).toHaveLength(1);
    executor.ends();
    await runner.drain({ drainMs: 60_000, stopMs: 20 });
    expect(turns.row(TASK).state).toBe('TASK_STATE_COMPLETED');
  });

  it('takes nothing when no slot is free or the worker drains', async () => {
    const { claims, queue, turns, runner, executor, asked } = claiming();
    queue.isHealthy = false;
    await turns.accept('t1', 'hi');
    await turns.accept('t2', 'hi');
    const running = [runner.run(hint('t1')), runner.run(hint('t2'))];
    await executor.started(2);
    await claims.poll();
    await runner.drain({ drainMs: 0, stopMs: 20 });
    await claims.poll();
    expect(asked).toEqual([]);
    await Promise.all(running);
  });

  it('survives a store that is away too', async () => {
    const { claims, queue, store, logger } = claiming();
    queue.isHealthy = false;
    store.takePending = async () => {
      throw new Error('away');
    };
    await claims.poll();
    expect(logger.lines.at(-1)?.message).toBe('Work could not be taken from the store');
  });
});
