import type { Claim, NewEvent } from '#core';
import { Life, RETRY, artifact, ending, status, type Stores } from './store-fixture.js';

/** What every TurnStore promises of claims, appends and leases. */
export function turnStoreContract(name: string, open: () => Promise<Stores>): void {
  describe(`${name}: turns`, () => {
    let stores: Stores;
    let life: Life;
    beforeAll(async () => {
      stores = await open();
    });
    afterAll(() => stores.close());
    beforeEach(() => {
      life = new Life(stores);
    });

    describe('claim', () => {
      it('gives the turn, its message and a new epoch, once', async () => {
        const { taskId } = await life.accept({
          ...{ requestMetadata: { x: 1 }, acceptedOutputModes: ['text/plain'], extensions: ['https://example.com/x'] },
        });
        const claims = await Promise.all([life.tryClaim(taskId), life.tryClaim(taskId, undefined, 'other')]);
        const [claim] = claims.filter((one) => one !== undefined);
        expect(claims.filter((one) => one === undefined)).toHaveLength(1);
        expect(claim).toMatchObject({
          turn: 1,
          attempt: 1,
          origin: 'api-1',
          agentId: life.ctx.agentId,
          requestMetadata: { x: 1 },
        });
        expect(claim?.acceptedOutputModes).toEqual(['text/plain']);
        expect(claim?.extensions).toEqual(['https://example.com/x']);
        expect(claim?.message.parts).toEqual([{ text: 'hello' }]);
        expect(claim?.fence.epoch).toBe(1);
        expect(claim?.task.events.map(({ sequence }) => sequence)).toEqual([1]);
      });

      it('is refused for an expired lease, a terminal task, one without a message and one that is being canceled', async () => {
        const { taskId: expired } = await life.accept();
        await life.claim(expired);
        await stores.expireLeases();
        expect(await life.tryClaim(expired)).toBeUndefined();
        expect(await life.tryClaim(await life.completed())).toBeUndefined();
        const { taskId: asked } = await life.accept();
        await life.end(await life.claim(asked), 'TASK_STATE_INPUT_REQUIRED');
        expect(await life.tryClaim(asked)).toBeUndefined();
        const { taskId: canceled } = await life.accept();
        await stores.tasks.cancel(life.ctx, canceled, { force: false });
        expect(await life.tryClaim(canceled)).toBeUndefined();
        expect(await life.tryClaim('01900000-0000-7000-8000-000000000000')).toBeUndefined();
      });

      it('again: takes what this worker holds, as the same attempt and with a new epoch, and nothing of another’s', async () => {
        const { taskId } = await life.accept();
        const lost = await life.claim(taskId);
        const request = { taskId, workerId: life.worker, leaseMs: 60_000, policy: RETRY, contract: 1, again: true };
        expect(await stores.turns.claim({ ...request, workerId: 'another' })).toBeUndefined();
        expect(await life.tryClaim(taskId)).toBeUndefined();
        const claim = await stores.turns.claim(request);
        expect(claim).toMatchObject({ turn: 1, attempt: 1, fence: { epoch: lost.fence.epoch + 1 } });
        expect(await life.append(lost, 1, [artifact(taskId, 'x')])).toEqual({ outcome: 'fenced' });
        expect(await life.append(claim as Claim, 1, [artifact(taskId, 'a')])).toMatchObject({ outcome: 'appended' });
        await stores.tasks.cancel(life.ctx, taskId, { force: false });
        expect(await stores.turns.claim(request)).toBeUndefined();
        const { taskId: free } = await life.accept();
        expect(await stores.turns.claim({ ...request, taskId: free })).toMatchObject({ turn: 1, fence: { epoch: 1 } });
      });

      it('is refused by a worker that does not know the contract', async () => {
        const { taskId } = await life.accept();
        const old = {
          taskId,
          workerId: 'old',
          leaseMs: 1000,
          policy: { recovery: 'retry', maxAttempts: 3 } as const,
          contract: 0,
        };
        expect(await stores.turns.claim(old)).toBeUndefined();
      });
    });

    describe('append', () => {
      it('numbers events on from the task’s, and the log has them as they were given', async () => {
        const { taskId } = await life.accept();
        const claim = await life.claim(taskId);
        const result = await life.append(claim, 1, [
          status(taskId, 'TASK_STATE_WORKING', 'on it'),
          artifact(taskId, 'a'),
          artifact(taskId, 'b'),
        ]);
        expect(result).toMatchObject({
          outcome: 'appended',
          first: 2,
          finalState: 'TASK_STATE_WORKING',
          pending: 1,
          cancelRequested: false,
        });
        const log = await life.log(taskId);
        expect(log.map(({ sequence, kind, state, turn }) => [sequence, kind, state, turn])).toEqual([
          [1, 'accepted', 'TASK_STATE_SUBMITTED', 1],
          [2, 'status', 'TASK_STATE_WORKING', 1],
          [3, 'artifact', 'TASK_STATE_WORKING', 1],
          [4, 'artifact', 'TASK_STATE_WORKING', 1],
        ]);
        expect(JSON.parse(log[1]?.payload as string).statusUpdate.status.message.parts).toEqual([{ text: 'on it' }]);
      });

      it('the same number again is a duplicate with the same positions, any other is fenced', async () => {
        const { taskId } = await life.accept();
        const claim = await life.claim(taskId);
        const first = await life.append(claim, 1, [artifact(taskId, 'a')]);
        expect(await life.append(claim, 1, [artifact(taskId, 'a')])).toMatchObject({ outcome: 'duplicate', first: 2 });
        expect(first).toMatchObject({ outcome: 'appended', first: 2 });
        expect(await life.append(claim, 3, [artifact(taskId, 'x')])).toEqual({ outcome: 'fenced' });
        expect(await life.append(claim, 0, [artifact(taskId, 'x')])).toEqual({ outcome: 'fenced' });
        expect(await life.append(claim, 2, [artifact(taskId, 'b')])).toMatchObject({ outcome: 'appended', first: 3 });
        expect(await life.log(taskId)).toHaveLength(3);
      });

      it('a lost answer of the append that ended the turn is a duplicate, also after the next claim', async () => {
        const { taskId } = await life.accept();
        await life.followUp(taskId);
        const claim = await life.claim(taskId);
        expect(await life.end(claim, 'TASK_STATE_COMPLETED')).toMatchObject({
          outcome: 'appended',
          finalState: 'TASK_STATE_WORKING',
          pending: 1,
        });
        expect(await life.end(claim, 'TASK_STATE_COMPLETED')).toMatchObject({
          outcome: 'duplicate',
          finalState: 'TASK_STATE_WORKING',
        });
        const next = await life.claim(taskId);
        expect(await life.end(claim, 'TASK_STATE_COMPLETED')).toMatchObject({ outcome: 'duplicate' });
        expect(await life.end(next, 'TASK_STATE_COMPLETED')).toMatchObject({
          outcome: 'appended',
          finalState: 'TASK_STATE_COMPLETED',
          pending: 0,
        });
      });

      it('I4: another owner or epoch is fenced, also when nobody has claimed since', async () => {
        const { taskId } = await life.accept();
        const claim = await life.claim(taskId);
        const stranger = { ...claim, fence: { ...claim.fence, workerId: 'stranger' } };
        expect(await life.append(stranger, 1, [artifact(taskId, 'x')])).toEqual({ outcome: 'fenced' });
        await stores.expireLeases();
        await life.reap();
        expect(await life.append(claim, 1, [artifact(taskId, 'x')])).toEqual({ outcome: 'fenced' });
        // The same worker has the lease again: what it began under the one before is another attempt all the same.
        await life.claim(taskId);
        expect(await life.append(claim, 1, [artifact(taskId, 'x')])).toEqual({ outcome: 'fenced' });
        expect(await life.log(taskId)).toHaveLength(1);
      });

      it('I3: nothing is recorded after a terminal state', async () => {
        const { taskId } = await life.accept();
        const claim = await life.claim(taskId);
        await stores.tasks.cancel(life.ctx, taskId, { force: true });
        expect(await life.append(claim, 1, [artifact(taskId, 'x')])).toEqual({ outcome: 'fenced' });
        expect(await life.followUp(taskId)).toMatchObject({ outcome: 'terminal' });
        expect((await life.log(taskId)).map(({ state }) => state)).toEqual(['TASK_STATE_SUBMITTED', 'TASK_STATE_CANCELED']);
      });

      it('COMPLETED over a pending message ends the turn only; FAILED ends the task', async () => {
        const { taskId } = await life.accept();
        await life.followUp(taskId);
        const first = await life.claim(taskId);
        await life.append(first, 1, [status(taskId, 'TASK_STATE_COMPLETED', 'one')], { endsTurn: true });
        const stored = await stores.tasks.get(life.ctx, taskId);
        expect(stored).toMatchObject({ state: 'TASK_STATE_WORKING', accepted: 2, ended: 1 });
        expect(JSON.parse(stored?.status as string).message.parts).toEqual([{ text: 'one' }]);
        const second = await life.claim(taskId);
        expect([second.turn, second.message.messageId, second.fence.epoch]).toEqual([2, 'm-more', 3]);
        await life.followUp(taskId, 'third');
        expect(await life.end(second, 'TASK_STATE_FAILED')).toMatchObject({ finalState: 'TASK_STATE_FAILED' });
        expect(await life.tryClaim(taskId)).toBeUndefined();
      });

      it('a turn that ends non-terminal with a cancel requested becomes CANCELED', async () => {
        const { taskId } = await life.accept();
        const claim = await life.claim(taskId);
        await stores.tasks.cancel(life.ctx, taskId, { metadata: { why: 'x' }, force: false });
        expect(await life.append(claim, 1, [artifact(taskId, 'a')])).toMatchObject({
          cancelRequested: true,
          cancelMetadata: { why: 'x' },
        });
        expect(await life.end(claim, 'TASK_STATE_INPUT_REQUIRED', 2)).toMatchObject({ finalState: 'TASK_STATE_CANCELED' });
        const log = await life.log(taskId);
        expect(JSON.parse(log.at(-1)?.payload as string).statusUpdate.status.state).toBe('TASK_STATE_CANCELED');
      });

      it('writes a snapshot only over events that its writer has seen', async () => {
        const { taskId } = await life.accept();
        const claim = await life.claim(taskId);
        const snapshot = { base: 1, artifacts: '[{"artifactId":"a"}]', history: '[]' };
        await life.append(claim, 1, [artifact(taskId, 'a')], { snapshot });
        expect(await stores.tasks.get(life.ctx, taskId)).toMatchObject({
          snapshotSequence: 2,
          artifacts: snapshot.artifacts,
          events: [],
        });
        await life.followUp(taskId);
        await life.append(claim, 2, [artifact(taskId, 'b')], { snapshot: { ...snapshot, base: 2 } });
        const stored = await stores.tasks.get(life.ctx, taskId);
        expect([stored?.snapshotSequence, stored?.events.map(({ sequence }) => sequence)]).toEqual([2, [3, 4]]);
      });

      it('keeps an unlisted row out of sight until its first Task event, and for good when it was answered with a Message', async () => {
        const { taskId } = await life.accept({ listed: false });
        expect(await stores.tasks.get(life.ctx, taskId)).toBeUndefined();
        expect(await stores.tasks.cancel(life.ctx, taskId, { force: false })).toEqual({ outcome: 'not-found' });
        const claim = await life.claim(taskId);
        await life.append(claim, 1, [status(taskId, 'TASK_STATE_WORKING')], { list: true });
        expect((await stores.tasks.get(life.ctx, taskId))?.state).toBe('TASK_STATE_WORKING');
        const answered = await life.answered();
        expect(await stores.tasks.get(life.ctx, answered)).toBeUndefined();
        expect((await life.log(answered)).at(-1)).toMatchObject({ kind: 'answer', payload: '{"message":{}}', endsTurn: true });
        expect((await stores.tasks.list(life.ctx, { limit: 10, view: { historyLength: 0, artifacts: false } })).totalSize).toBe(
          1,
        );
      });
    });

    describe('checkpoints', () => {
      it('are recorded with the events of their append, or alone, and given to the next claim of the turn', async () => {
        const { taskId } = await life.accept();
        const first = await life.claim(taskId);
        expect(first.checkpoint).toBeUndefined();
        expect(await life.append(first, 1, [artifact(taskId, 'a')], { checkpoint: '{"done":1}' })).toMatchObject({ first: 2 });
        expect(await life.append(first, 2, [], { checkpoint: '{"done":2}' })).toMatchObject({
          ...{ outcome: 'appended', first: 3, finalState: 'TASK_STATE_SUBMITTED', pending: 1 },
        });
        expect(await life.append(first, 3, [artifact(taskId, 'b')])).toMatchObject({ outcome: 'appended', first: 3 });
        await stores.expireLeases();
        await life.reap();
        const second = await life.claim(taskId);
        expect(second).toMatchObject({ attempt: 2, checkpoint: '{"done":2}' });
        expect(await life.log(taskId)).toHaveLength(3);
      });

      it('I4: one of a worker whose lease is gone changes nothing, and one that is repeated is recorded once', async () => {
        const { taskId } = await life.accept();
        const stale = await life.claim(taskId);
        await life.append(stale, 1, [], { checkpoint: '1' });
        expect(await life.append(stale, 1, [], { checkpoint: '1' })).toMatchObject({ outcome: 'duplicate', first: 2 });
        await stores.expireLeases();
        await life.reap();
        expect(await life.append(stale, 2, [], { checkpoint: '"stale"' })).toEqual({ outcome: 'fenced' });
        const next = await life.claim(taskId);
        expect(next.checkpoint).toBe('1');
        expect(await life.append(stale, 2, [], { checkpoint: '"stale"' })).toEqual({ outcome: 'fenced' });
        await life.append(next, 1, [], { checkpoint: 'null' });
        await stores.expireLeases();
        await life.reap();
        expect((await life.claim(taskId)).checkpoint).toBe('null');
      });

      it('are of one turn: its end forgets them, also when it was not told of any', async () => {
        for (const checkpoint of [null, '"last"', undefined]) {
          const { taskId } = await life.accept();
          const first = await life.claim(taskId);
          await life.append(first, 1, [], { checkpoint: '1' });
          const asking = status(taskId, 'TASK_STATE_INPUT_REQUIRED');
          await life.append(first, 2, [asking], { endsTurn: true, ...(checkpoint === undefined ? {} : { checkpoint }) });
          await life.followUp(taskId);
          expect(await life.claim(taskId)).not.toHaveProperty('checkpoint');
        }
      });
    });

    describe('leases', () => {
      it('a heartbeat renews what is held, and tells of what is lost or to be canceled', async () => {
        const claims = [];
        for (let i = 0; i < 3; i += 1) claims.push(await life.claim((await life.accept()).taskId));
        const [kept, lost, canceled] = claims.map(({ fence }) => fence);
        await stores.tasks.cancel(life.ctx, canceled?.taskId as string, { metadata: { why: 1 }, force: false });
        await stores.tasks.cancel(life.ctx, lost?.taskId as string, { force: true });
        await stores.expireLeases();
        const answers = await stores.turns.heartbeat(
          life.worker,
          claims.map(({ fence }) => fence),
          60_000,
        );
        expect([...answers].sort((a, b) => (a.status < b.status ? -1 : 1))).toEqual([
          { taskId: canceled?.taskId, epoch: 1, status: 'cancel', cancelMetadata: { why: 1 } },
          { taskId: lost?.taskId, epoch: 1, status: 'lost' },
        ]);
        const expired = (await stores.reconcile.expiredLeases(1000)).map(({ taskId }) => taskId);
        expect(expired).not.toContain(kept?.taskId);
      });

      it('reap frees the task for another attempt, until they are spent', async () => {
        const { taskId } = await life.accept();
        for (let attempt = 1; attempt <= 3; attempt += 1) {
          const claim = await life.claim(taskId);
          expect(claim).toMatchObject({ attempt, fence: { epoch: 2 * attempt - 1 } });
          await stores.expireLeases();
          const [reaped] = await life.reap();
          expect(reaped).toMatchObject({ taskId, epoch: claim.fence.epoch + 1 });
          expect(reaped?.state).toBe(attempt === 3 ? 'TASK_STATE_FAILED' : undefined);
        }
        expect(await life.tryClaim(taskId)).toBeUndefined();
      });

      it('an end by the host ends the turn too, is in the log as it was returned, and makes an unlisted row a task', async () => {
        const { taskId } = await life.accept({ listed: false });
        await life.claim(taskId, { recovery: 'fail', maxAttempts: 1 });
        await stores.expireLeases();
        const leases = (await stores.reconcile.expiredLeases(1000)).filter((lease) => lease.taskId === taskId);
        const failed = status(taskId, 'TASK_STATE_FAILED', 'lost') as Extract<NewEvent, { kind: 'status' }>;
        const [reaped] = await stores.reconcile.reap(leases.map((lease) => ({ lease, failed, canceled: ending(taskId) })));
        expect(reaped?.event).toMatchObject({ sequence: 2, kind: 'status', state: 'TASK_STATE_FAILED', turn: 1, endsTurn: true });
        const stored = await stores.tasks.get(life.ctx, taskId);
        expect(stored).toMatchObject({ state: 'TASK_STATE_FAILED', accepted: 1, ended: 1, listed: true });
        expect(stored?.events.at(-1)).toEqual(reaped?.event);
        expect(JSON.parse(reaped?.event?.payload as string).statusUpdate.status).toEqual(JSON.parse(stored?.status as string));
        expect((await stores.tasks.list(life.ctx, { limit: 10, view: { historyLength: 0, artifacts: false } })).totalSize).toBe(
          1,
        );
      });

      it('reap ends a task at once when its agent does not recover, and cancels one that was to be canceled', async () => {
        const { taskId } = await life.accept();
        await life.claim(taskId, { recovery: 'fail', maxAttempts: 3 });
        const { taskId: canceled } = await life.accept();
        await life.claim(canceled);
        await stores.tasks.cancel(life.ctx, canceled, { force: false });
        await stores.expireLeases();
        const states = new Map((await life.reap()).map(({ taskId: id, state }) => [id, state]));
        expect([states.get(taskId), states.get(canceled)]).toEqual(['TASK_STATE_FAILED', 'TASK_STATE_CANCELED']);
      });

      it('reap spares a lease that was renewed after it was seen', async () => {
        const { taskId } = await life.accept();
        const claim = await life.claim(taskId);
        await stores.expireLeases();
        const leases = (await stores.reconcile.expiredLeases(1000)).filter((lease) => lease.taskId === taskId);
        await stores.turns.heartbeat(life.worker, [claim.fence], 60_000);
        const reaped = await stores.reconcile.reap(
          leases.map((lease) => ({ lease, failed: ending(taskId), canceled: ending(taskId) })),
        );
        expect([leases.length, reaped.length]).toEqual([1, 0]);
        expect(await life.append(claim, 1, [artifact(taskId, 'a')])).toMatchObject({ outcome: 'appended' });
      });

      it('reap spares the next holder of a lease that was seen expired, though it has expired too', async () => {
        const { taskId } = await life.accept();
        await life.claim(taskId);
        await stores.expireLeases();
        const seen = (await stores.reconcile.expiredLeases(1000)).filter((lease) => lease.taskId === taskId);
        const leases = seen.map((lease) => ({ lease, failed: ending(taskId), canceled: ending(taskId) }));
        expect(await stores.reconcile.reap(leases)).toHaveLength(1);
        const next = await life.claim(taskId);
        await stores.expireLeases();
        expect(await stores.reconcile.reap(leases)).toEqual([]);
        expect(await life.append(next, 1, [artifact(taskId, 'a')])).toMatchObject({ outcome: 'appended' });
      });

      it('release hands back without counting an attempt, or ends what does not recover; only the holder may', async () => {
        const { taskId } = await life.accept();
        const claim = await life.claim(taskId);
        const stranger = { ...claim.fence, workerId: 'stranger' };
        expect((await life.release({ fence: stranger })).outcome).toBe('fenced');
        expect(await life.release(claim)).toMatchObject({
          outcome: 'released',
          turn: 1,
          epoch: 2,
        });
        // The end of a lease raises the epoch, and so does the next claim: a hint given between the two has an id of its own.
        const again = await life.claim(taskId);
        expect(again).toMatchObject({ attempt: 1, fence: { epoch: 3 } });
        const ended = await life.release(again, { policy: { recovery: 'fail', maxAttempts: 3 } });
        expect(ended).toMatchObject({ outcome: 'ended', event: { state: 'TASK_STATE_FAILED' } });
      });

      it('a release that counts the attempt frees the task, until the attempts are spent', async () => {
        const { taskId } = await life.accept();
        for (let attempt = 1; attempt <= 3; attempt += 1) {
          const claim = await life.claim(taskId);
          expect(claim.attempt).toBe(attempt);
          const released = await life.release(claim, { countsAttempt: true });
          expect(released.outcome).toBe(attempt === 3 ? 'ended' : 'released');
          expect(released.event?.state).toBe(attempt === 3 ? 'TASK_STATE_FAILED' : undefined);
        }
        expect(await life.tryClaim(taskId)).toBeUndefined();
      });
    });
  });
}
