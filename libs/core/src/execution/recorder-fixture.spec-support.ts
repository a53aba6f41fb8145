import { foldEvents, parseEvent } from '../task/task-fold.js';
import { RecordingBus, RecordingLogger, Signal } from './controlled-agent.spec-support.js';
import { EventPublisher } from './event-publisher.js';
import { EventRecorder } from './event-recorder.js';
import { WatchedTurnStore } from './watched-turn-store.spec-support.js';
import { TASK } from './runner-fixture.spec-support.js';

const LEASE = {
  taskId: TASK,
  workerId: 'w1',
  leaseMs: 9000,
  policy: { recovery: 'retry', maxAttempts: 3 },
  contract: 1,
} as const;

/** A recorder of a turn that is claimed. */
export async function recording(options: { resumes?: boolean; store?: WatchedTurnStore } = {}) {
  const store = options.store ?? new WatchedTurnStore();
  if (!options.store) await store.accept(TASK, 'hi');
  const claim = await store.claim(LEASE);
  if (!claim) throw new Error('not claimed');
  const bus = new RecordingBus();
  const logger = new RecordingLogger();
  const told: string[] = [];
  const recorder = new EventRecorder(
    claim,
    { store, publisher: new EventPublisher(bus, logger), clock: { now: () => 1_767_323_045_678 }, logger },
    { leaseMs: 9000, resumes: options.resumes ?? false },
    { onCancelRequested: () => told.push('cancel'), onHalted: (why) => told.push(why) },
  );
  const row = store.row(TASK);
  const artifacts = () =>
    foldEvents({ id: TASK, status: { state: 'TASK_STATE_SUBMITTED' } }, row.events.map(parseEvent)).artifacts;
  return { store, claim, bus, logger, told, recorder, row, artifacts };
}

/** Appends wait at the store until the test lets them go on. */
export function holding(store: WatchedTurnStore): { reached: Promise<void>; release: () => void } {
  const reached = new Signal();
  const held = new Signal();
  store.gate = (call, phase) => {
    if (call !== 'append' || phase !== 'request') return;
    reached.resolve();
    return held.promise;
  };
  return { reached: reached.promise, release: () => held.resolve() };
}

/** The store, after another worker's lease was ended. */
export async function takenAnew(store: WatchedTurnStore): Promise<WatchedTurnStore> {
  store.takeLeaseAway(TASK);
  return store;
}
