import {
  Deferred,
  eventually,
  InMemoryBusNetwork,
  InMemoryDatabase,
  InMemoryEventBus,
  InMemoryPushDeliveryStore,
} from '#testing';
import { SILENT } from '../logger.js';
import { NotificationSender, type Notification, type SendResult } from '../ports/notification-sender.js';
import { pushConfigKey } from '../../../testing/src/memory/push-rows.js';
import type { TaskRow } from '../../../testing/src/memory/rows.js';
import { PushDispatcher, type PushDispatcherOptions } from './push-dispatcher.js';

const DELIVERED: SendResult = { outcome: 'delivered', httpStatus: 200 };
const REFUSED: SendResult = { outcome: 'refused', error: 'The URL is not allowed', ill: true };
const ANSWERED_503: SendResult = { outcome: 'failed', httpStatus: 503, error: 'It answered 503', ill: true };

class RecordingSender extends NotificationSender {
  readonly sent: Notification[] = [];
  answer: (notification: Notification) => SendResult | Promise<SendResult> = () => DELIVERED;
  running = 0;
  most = 0;

  override async send(notification: Notification, signal: AbortSignal): Promise<SendResult> {
    this.sent.push(notification);
    this.most = Math.max(this.most, (this.running += 1));
    let onAbort = (): void => undefined;
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(signal.reason);
      signal.addEventListener('abort', onAbort);
    });
    try {
      return await Promise.race([this.answer(notification), aborted]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.running -= 1;
    }
  }
}

/** Dispatchers over one database, each with its own sender. */
class Fixture {
  readonly database = new InMemoryDatabase();
  readonly network = new InMemoryBusNetwork();
  readonly dispatchers: PushDispatcher[] = [];

  dispatcher(sender: NotificationSender, more: Partial<PushDispatcherOptions> = {}): PushDispatcher {
    const dispatcher = new PushDispatcher(
      { store: new InMemoryPushDeliveryStore(this.database), bus: new InMemoryEventBus(this.network), sender, logger: SILENT },
      { workerId: `w-${this.dispatchers.length}`, sweepMs: 20, leaseMs: 1000, heartbeatMs: 300, maxAgeMs: 60_000, ...more },
    );
    this.dispatchers.push(dispatcher);
    return dispatcher;
  }

  task(taskId: string, states: readonly string[], receiver = 'https://r.example'): void {
    const row = {
      ...{ taskId, contextId: 'c', listed: true, pushes: true, events: [] },
      ...{ tenant: '', owner: '', agentId: '', origin: '' },
    } as unknown as TaskRow;
    this.database.tasks.set(taskId, row);
    this.record(taskId, states);
    this.database.pushConfigs.set(pushConfigKey(taskId, 'config'), {
      ...{ taskId, id: 'config', protocolVersion: '1.0', url: `${receiver}/hook`, receiver, everyEvent: false, createdAt: 0 },
      ...{ cursor: 0, finished: false, dueAt: 0, failures: 0, epoch: 0 },
    });
  }

  record(taskId: string, states: readonly string[]): void {
    const { events } = this.database.tasks.get(taskId) as TaskRow;
    for (const state of states) {
      const sequence = events.length + 1;
      events.push({
        ...{ taskId, sequence, kind: 'status', state: `TASK_STATE_${state}` as never, turn: 1, endsTurn: false },
        payload: JSON.stringify({ sequence }),
      });
    }
  }

  config(taskId: string) {
    return this.database.pushConfigs.get(pushConfigKey(taskId, 'config'))!;
  }

  close = async (): Promise<void> => {
    await Promise.all(this.dispatchers.map((dispatcher) => dispatcher.close(0)));
  };
}

const WHOLE = ['SUBMITTED', 'WORKING', 'COMPLETED'];
const sequencesOf = (sender: RecordingSender, taskId: string): number[] =>
  sender.sent.filter((one) => one.taskId === taskId).map(({ body }) => (JSON.parse(body) as { sequence: number }).sequence);

describe('PushDispatcher', () => {
  let fixture: Fixture;
  let sender: RecordingSender;
  beforeEach(() => {
    fixture = new Fixture();
    sender = new RecordingSender();
  });
  afterEach(() => fixture.close());

  it('delivers what a hint tells of, in order, and finishes with the end', async () => {
    const dispatcher = fixture.dispatcher(sender, { sweepMs: 60_000 });
    dispatcher.start();
    await eventually(() => dispatcher.lastSwept > 0);
    fixture.task('t', WHOLE);
    expect(dispatcher.hint('t')).toBe(true);
    await eventually(() => fixture.config('t').finished);
    expect(sequencesOf(sender, 't')).toEqual([1, 2, 3]);
    expect(sender.sent[0]).toEqual({
      ...{ taskId: 't', configId: 'config', id: 't.config.1', url: 'https://r.example/hook', receiver: 'https://r.example' },
      ...{ contentType: 'application/a2a+json', body: '{"sequence":1}' },
    });
    expect(fixture.config('t')).toMatchObject({ cursor: 3, lease: undefined });
  });

  it('finds by itself what no hint told of', async () => {
    fixture.task('t', WHOLE);
    fixture.dispatcher(sender).start();
    await eventually(() => fixture.config('t').finished);
  });

  it('hears hints of other processes', async () => {
    fixture.dispatcher(sender, { sweepMs: 60_000 }).start();
    await eventually(() => fixture.dispatchers[0]!.lastSwept > 0);
    fixture.task('t', WHOLE);
    await new InMemoryEventBus(fixture.network).publish(['push'], { type: 'push', taskId: 't' });
    await eventually(() => fixture.config('t').finished);
  });

  it('sends the next only when the one before is delivered, by whichever dispatcher', async () => {
    const others = new RecordingSender();
    for (const one of [sender, others]) fixture.dispatcher(one).start();
    fixture.task('t', ['SUBMITTED', 'WORKING', 'INPUT_REQUIRED', 'SUBMITTED', 'COMPLETED']);
    let failures = 2;
    const flaky = (): SendResult => ((failures -= 1) >= 0 ? { ...ANSWERED_503, ill: false } : DELIVERED);
    for (const one of [sender, others]) one.answer = flaky;
    await eventually(() => {
      fixture.config('t').dueAt = 0;
      return fixture.config('t').finished;
    });
    const told = [...sequencesOf(sender, 't'), ...sequencesOf(others, 't')].sort();
    expect(told).toEqual([1, 1, 1, 2, 3, 4, 5]);
    expect(fixture.database.pushDeliveries.map(({ sequence, attempt, outcome }) => [sequence, attempt, outcome])).toEqual([
      ...[1, 2].map((attempt) => [1, attempt, 'failed']),
      ...[1, 2, 3, 4, 5].map((sequence) => [sequence, sequence === 1 ? 3 : 1, 'delivered']),
    ]);
  });

  it('tells of an event that comes while another is under way', async () => {
    const first = new Deferred<SendResult>();
    sender.answer = ({ body }) => (body === '{"sequence":1}' ? first.promise : DELIVERED);
    const dispatcher = fixture.dispatcher(sender, { sweepMs: 60_000 });
    fixture.task('t', ['SUBMITTED']);
    dispatcher.start();
    await eventually(() => sender.sent.length === 1);
    fixture.record('t', ['WORKING', 'COMPLETED']);
    dispatcher.hint('t');
    first.resolve(DELIVERED);
    await eventually(() => fixture.config('t').finished);
    expect(sequencesOf(sender, 't')).toEqual([1, 2, 3]);
  });

  it('a failure waits its time, and one that has failed for too long waits for redelivery', async () => {
    sender.answer = () => REFUSED;
    const dispatcher = fixture.dispatcher(sender, { maxAgeMs: 1 });
    fixture.task('t', WHOLE);
    dispatcher.start();
    await eventually(() => fixture.config('t').failures === 1);
    expect(fixture.config('t').dueAt).toBeGreaterThan(Date.now());
    dispatcher.hint('t');
    fixture.config('t').dueAt = 0;
    await eventually(() => fixture.config('t').deadAt !== undefined);
    expect(fixture.config('t')).toMatchObject({ cursor: 0, finished: false });
    expect(fixture.database.pushDeliveries[0]).toMatchObject({ outcome: 'refused', error: 'The URL is not allowed' });
  });

  it('a receiver that hangs holds nobody else up, and never has more than its share', async () => {
    sender.answer = ({ receiver }) => (receiver.includes('slow') ? new Promise<never>(() => undefined) : DELIVERED);
    const dispatcher = fixture.dispatcher(sender, { total: 64 });
    for (let n = 0; n < 100; n += 1) fixture.task(`slow-${n}`, WHOLE, 'https://slow.example');
    dispatcher.start();
    await eventually(() => sender.running === 16);
    for (let n = 0; n < 50; n += 1) {
      fixture.task(`fast-${n}`, WHOLE, 'https://fast.example');
      dispatcher.hint(`fast-${n}`);
    }
    await eventually(() => Array.from({ length: 50 }, (_, n) => fixture.config(`fast-${n}`)).every(({ finished }) => finished));
    expect(sender.sent.filter(({ receiver }) => receiver.includes('slow'))).toHaveLength(16);
    expect(sender.most).toBeLessThanOrEqual(32);
  });

  it('thousands of configurations of a dead receiver cost it a few requests', async () => {
    sender.answer = () => ANSWERED_503;
    for (let n = 0; n < 2000; n += 1) fixture.task(`t-${n}`, WHOLE);
    const dispatcher = fixture.dispatcher(sender);
    dispatcher.start();
    await eventually(() => sender.sent.length >= 5);
    const started = performance.now();
    await eventually(() => performance.now() - started > 300);
    expect(sender.sent.length).toBeLessThanOrEqual(16);
  });

  it('drains a backlog of one receiver without waiting for sweeps', async () => {
    for (let n = 0; n < 300; n += 1) fixture.task(`t-${n}`, WHOLE);
    const dispatcher = fixture.dispatcher(sender, { sweepMs: 60_000 });
    dispatcher.start();
    await eventually(() => Array.from({ length: 300 }, (_, n) => fixture.config(`t-${n}`)).every(({ finished }) => finished));
    expect(sender.most).toBeLessThanOrEqual(16);
  });

  it('gives way to others after fifty events', async () => {
    fixture.task(
      'long',
      Array.from({ length: 120 }, (_, n) => (n % 2 ? 'WORKING' : 'SUBMITTED')),
    );
    fixture.dispatcher(sender).start();
    await eventually(() => fixture.config('long').cursor === 120);
    // Once to begin with, and each claim and release after fifty.
    expect(fixture.config('long').epoch).toBeGreaterThanOrEqual(6);
    expect(sequencesOf(sender, 'long')).toEqual(Array.from({ length: 120 }, (_, n) => n + 1));
  });

  it('a stop lets what runs end, claims nothing more, and takes no hints', async () => {
    const first = new Deferred<SendResult>();
    sender.answer = () => first.promise;
    const dispatcher = fixture.dispatcher(sender);
    fixture.task('t', ['COMPLETED']);
    dispatcher.start();
    await eventually(() => sender.running === 1);
    const closed = dispatcher.close(5000);
    fixture.task('later', WHOLE);
    expect(dispatcher.hint('later')).toBe(false);
    first.resolve(DELIVERED);
    await closed;
    expect(fixture.config('t').finished).toBe(true);
    expect(sequencesOf(sender, 'later')).toEqual([]);
  });

  it('a stop abandons what does not end, releases its lease and counts no attempt', async () => {
    sender.answer = () => new Promise<never>(() => undefined);
    const dispatcher = fixture.dispatcher(sender);
    fixture.task('t', WHOLE);
    dispatcher.start();
    await eventually(() => sender.running === 1);
    await dispatcher.close(10);
    expect(fixture.config('t')).toMatchObject({ cursor: 0, failures: 0, lease: undefined });
    expect(fixture.database.pushDeliveries).toEqual([]);
  });

  it('what a dispatcher that disappeared had under way is delivered again when its lease is over', async () => {
    fixture.task('t', WHOLE);
    Object.assign(fixture.config('t'), { lease: { owner: 'gone', expiresAt: Date.now() + 50 }, epoch: 1 });
    fixture.dispatcher(sender).start();
    await eventually(() => fixture.config('t').finished);
    expect(sequencesOf(sender, 't')).toEqual([1, 2, 3]);
  });

  it('keeps its leases for as long as a receiver takes to answer', async () => {
    const first = new Deferred<SendResult>();
    sender.answer = () => first.promise;
    fixture.dispatcher(sender, { leaseMs: 60, heartbeatMs: 15 }).start();
    fixture.task('t', ['COMPLETED']);
    await eventually(() => sender.running === 1);
    const other = new RecordingSender();
    fixture.dispatcher(other).start();
    const began = performance.now();
    await eventually(() => performance.now() - began > 300);
    expect(other.sent).toEqual([]);
    first.resolve(DELIVERED);
    await eventually(() => fixture.config('t').finished);
    expect(sender.sent).toHaveLength(1);
  });

  it('abandons what has become another dispatcher’s', async () => {
    sender.answer = () => new Promise<never>(() => undefined);
    fixture.dispatcher(sender, { heartbeatMs: 15 }).start();
    fixture.task('t', ['COMPLETED']);
    await eventually(() => sender.running === 1);
    Object.assign(fixture.config('t'), { lease: { owner: 'another', expiresAt: Date.now() + 60_000 }, epoch: 9 });
    await eventually(() => sender.running === 0);
    expect(fixture.config('t')).toMatchObject({ lease: { owner: 'another' }, epoch: 9, failures: 0, cursor: 0 });
    expect(fixture.database.pushDeliveries).toEqual([]);
  });

  it('goes on when the database is back', async () => {
    fixture.database.available = false;
    fixture.dispatcher(sender).start();
    fixture.task('t', WHOLE);
    await eventually(() => fixture.dispatchers[0]!.lastSwept > 0);
    fixture.database.available = true;
    await eventually(() => fixture.config('t').finished);
  });
});
