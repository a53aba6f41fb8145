import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { A2AClient, stateOf, until } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';

describe('human in the loop', () => {
  const cluster = useCluster({ apis: 2, workers: 2 });
  const onA = () => new A2AClient(cluster.apiUrl(0));
  const onB = () => new A2AClient(cluster.apiUrl(1));

  it('a blocking send returns at INPUT_REQUIRED and at AUTH_REQUIRED', async () => {
    const asked = await onA().agent('script').sendForTask('input which one?');
    expect(stateOf(asked)).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(asked.status.message?.parts).toEqual([{ text: 'which one?' }]);
    const auth = await onA().agent('script').sendForTask('auth sign in');
    expect(stateOf(auth)).toBe('TASK_STATE_AUTH_REQUIRED');
  });

  it('WORKING, INPUT_REQUIRED, WORKING, COMPLETED persists over a restart of everything in between', async () => {
    const asked = await onA().agent('script').sendForTask('working first\ninput and then?');
    await cluster.restartAll();
    const before = await onA().agent('script').get(asked.id);
    expect(before).toEqual(asked);
    const done = await onB().agent('script').sendForTask('working second\ncomplete done', { taskId: asked.id });
    expect(stateOf(done)).toBe('TASK_STATE_COMPLETED');
    expect(done.contextId).toBe(asked.contextId);
    expect(done.history?.map(({ parts }) => parts[0]?.text)).toEqual([
      'working first\ninput and then?',
      'and then?',
      'working second\ncomplete done',
      'done',
    ]);
    expect(await onA().agent('script').get(done.id)).toEqual(done);
  });

  it('the blocking answer equals GetTask on the other replica at once', async () => {
    for (let i = 0; i < 25; i += 1) {
      const answered = await onA().agent('script').sendForTask(`artifact a ${i}\ncomplete ${i}`);
      expect(await onB().agent('script').get(answered.id)).toEqual(answered);
    }
  });

  it('the blocking answer has the metadata that the agent set, as GetTask has', async () => {
    for (const end of ['complete done', 'input what?', 'fail no']) {
      const answered = await onA().agent('script').sendForTask(`working\nmetadata {"cost":3}\n${end}`);
      expect(answered.metadata).toEqual({ cost: 3 });
      expect(await onB().agent('script').get(answered.id)).toEqual(answered);
    }
  });

  it('returnImmediately on a slow agent answers in under a second, and the task goes on', async () => {
    const started = performance.now();
    const submitted = await onA().agent('script').sendForTask('sleep 3000\ncomplete late', { returnImmediately: true });
    expect(performance.now() - started).toBeLessThan(1000);
    expect(stateOf(submitted)).toBe('TASK_STATE_SUBMITTED');
    await until(onB().agent('script'), submitted.id, (task) => stateOf(task) === 'TASK_STATE_COMPLETED');
  });

  it('returnImmediately answers with the task as it was accepted, however fast the agent is', async () => {
    const agents = [onA().agent('instant'), onB().agent('instant')];
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        (agents[i % 2] as A2AClient).sendForTask(`n${i}`, { messageId: `m${i}`, returnImmediately: true }),
      ),
    );
    for (const [i, { id, contextId, ...answer }] of answers.entries()) {
      const status = { state: 'TASK_STATE_SUBMITTED', timestamp: answer.status.timestamp };
      const sent = { messageId: `m${i}`, role: 'ROLE_USER', parts: [{ text: `n${i}` }], taskId: id, contextId };
      expect(answer).toEqual({ status, history: [sent] });
    }
    for (const { id } of answers) await until(onB().agent('instant'), id, (task) => stateOf(task) === 'TASK_STATE_COMPLETED');
  });

  it('a follow-up with returnImmediately is answered with the task as of that message', async () => {
    const asked = await onA().agent('script').sendForTask('artifact a first\ninput q?');
    const submitted = await onB().agent('script').sendForTask('artifact b second\ncomplete done', {
      taskId: asked.id,
      returnImmediately: true,
    });
    expect(stateOf(submitted)).toBe('TASK_STATE_SUBMITTED');
    expect(submitted.artifacts?.map(({ artifactId }) => artifactId)).toEqual(['a']);
    expect(submitted.history?.map(({ parts }) => parts[0]?.text)).toEqual([
      'artifact a first\ninput q?',
      'q?',
      'artifact b second\ncomplete done',
    ]);
    await until(onA().agent('script'), asked.id, (task) => stateOf(task) === 'TASK_STATE_COMPLETED');
  });

  it('I9: a message to a running turn becomes the next turn; both run, one COMPLETED', async () => {
    const first = await onA().agent('script').sendForTask('working one\nsleep 600\ncomplete one', { returnImmediately: true });
    await until(onA().agent('script'), first.id, (task) => stateOf(task) === 'TASK_STATE_WORKING');
    const second = await onB().agent('script').sendForTask('artifact second here\ncomplete two', { taskId: first.id });
    expect(stateOf(second)).toBe('TASK_STATE_COMPLETED');
    expect(second.history?.map(({ parts }) => parts[0]?.text)).toEqual([
      'working one\nsleep 600\ncomplete one',
      'artifact second here\ncomplete two',
      'one',
      'two',
    ]);
    const states = await cluster.statesOf(first.id);
    expect(states.filter((state) => state === 'TASK_STATE_COMPLETED')).toHaveLength(1);
  });

  it('I9: a message whose accept is still under way when the turn before it ends becomes the next turn; one COMPLETED', async () => {
    const agent = onA().agent('script');
    const mayEnd = join(await mkdtemp(join(tmpdir(), 'chorus-turn-')), 'may-end');
    const first = await agent.sendForTask(`working one\nuntil ${mayEnd}\ncomplete one`, { returnImmediately: true });
    await until(agent, first.id, (task) => stateOf(task) === 'TASK_STATE_WORKING');
    const waits = async (statement: string): Promise<boolean> => {
      const waiting = `select query from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      return (await cluster.sql<{ query: string }>(waiting)).some(({ query }) => query.includes(statement));
    };
    // The accept locks the task first, and then has to wait for whoever may be about to use its key.
    const other = await cluster.connect();
    await other.query('begin');
    await other.query(`insert into idempotency_key (scope_id, key, task_id, turn, request_hash, expires_at)
                       select scope_id, 'held', id, 2, '', now() + interval '1 hour' from task where id = '${first.id}'`);
    const keyed = onB().agent('script').with({ 'idempotency-key': 'held' });
    const sending = keyed.sendForTask('artifact second here\ncomplete two', { taskId: first.id });
    try {
      await cluster.waitFor(() => waits('insert into idempotency_key'));
      await writeFile(mayEnd, '');
      // The end of the first turn waits behind the accept.
      await cluster.waitFor(() => waits('append_first'));
    } finally {
      await other.query('rollback');
      await other.end();
    }
    const second = await sending;
    expect(stateOf(second)).toBe('TASK_STATE_COMPLETED');
    expect(second.artifacts?.map(({ artifactId }) => artifactId)).toEqual(['second']);
    expect(second.history?.flatMap(({ role, parts }) => (role === 'ROLE_AGENT' ? parts[0]?.text : []))).toEqual(['one', 'two']);
    expect((await cluster.statesOf(first.id)).slice(-2)).toEqual(['TASK_STATE_WORKING', 'TASK_STATE_COMPLETED']);
    const states = await cluster.statesOf(first.id);
    expect(states.filter((state) => state === 'TASK_STATE_COMPLETED')).toHaveLength(1);
  });

  it('two sends on a WORKING task run one after the other, in order', async () => {
    const agent = onA().agent('script');
    const first = await agent.sendForTask('working\nsleep 500\ncomplete 1', { returnImmediately: true });
    await until(agent, first.id, (task) => stateOf(task) === 'TASK_STATE_WORKING');
    const [second, third] = await Promise.all([
      agent.sendForTask('append log 2a\nsleep 100\nappend log 2b\ncomplete 2', { taskId: first.id }),
      new Promise((resolve) => setTimeout(resolve, 100)).then(() =>
        onB().agent('script').sendForTask('append log 3a\nsleep 100\nappend log 3b\ncomplete 3', { taskId: first.id }),
      ),
    ]);
    expect(second?.id).toBe(first.id);
    const events = await cluster.eventsOf(first.id);
    const chunks = events
      .filter(({ kind }) => kind === 'artifact')
      .map(({ payload }) => JSON.parse(payload).artifactUpdate.artifact.parts[0].text);
    expect(chunks).toEqual(['2a', '2b', '3a', '3b']);
    expect((third as { status: { state: string } }).status.state).toBe('TASK_STATE_COMPLETED');
  });

  it('messages that were pending when the task failed are answered with that task', async () => {
    const agent = onA().agent('script');
    const first = await agent.sendForTask('working\nsleep 500\nfail broken', { returnImmediately: true });
    await until(agent, first.id, (task) => stateOf(task) === 'TASK_STATE_WORKING');
    const second = await onB().agent('script').sendForTask('complete never', { taskId: first.id });
    expect(stateOf(second)).toBe('TASK_STATE_FAILED');
  });

  it('two tasks of one context keep their outputs apart', async () => {
    const agent = onA().agent('script');
    const contextId = 'shared-context';
    const [a, b] = await Promise.all([
      agent.sendForTask('artifact x a\nsleep 100\ncomplete', { contextId }),
      onB().agent('script').sendForTask('artifact x b\nsleep 100\ncomplete', { contextId }),
    ]);
    expect(a?.id).not.toBe(b?.id);
    expect(a?.artifacts?.map(({ parts }) => parts[0]?.text)).toEqual(['a']);
    expect(b?.artifacts?.map(({ parts }) => parts[0]?.text)).toEqual(['b']);
    expect([a?.contextId, b?.contextId]).toEqual([contextId, contextId]);
  });

  it.each([
    ['reject no', 'TASK_STATE_REJECTED'],
    ['fail no', 'TASK_STATE_FAILED'],
    ['throw', 'TASK_STATE_FAILED'],
    ['complete', 'TASK_STATE_COMPLETED'],
  ])('%s ends in %s, and a message to it is an UnsupportedOperation', async (script, state) => {
    const task = await onA().agent('script').sendForTask(script);
    expect(stateOf(task)).toBe(state);
    expect(JSON.stringify(task)).not.toContain('secret cause');
    await expect(onB().agent('script').send('complete', { taskId: task.id })).rejects.toMatchObject({ code: -32004 });
  });

  it('an agent that answers with a Message leaves no task behind', async () => {
    const agent = onA().agent('script-message');
    const { message, task } = await agent.send('message hello');
    expect(task).toBeUndefined();
    expect(message?.parts).toEqual([{ text: 'hello' }]);
    expect((await agent.list()).totalSize).toBe(0);
    const frames = [];
    for await (const frame of agent.stream('message hello again')) frames.push(frame.response);
    expect(frames).toHaveLength(1);
    expect(frames[0]?.message?.parts).toEqual([{ text: 'hello again' }]);
  });

  it('an agent that may answer either way shows a task when it makes one', async () => {
    const agent = onA().agent('script-either');
    const { task } = await agent.send('working\ncomplete done');
    expect(task?.status.state).toBe('TASK_STATE_COMPLETED');
    expect((await agent.list()).totalSize).toBe(1);
    const shown = await agent.sendForTask('message late', { returnImmediately: true });
    const ended = await until(onB().agent('script-either'), shown.id, (one) => stateOf(one) === 'TASK_STATE_COMPLETED');
    expect(ended.status.message?.parts).toEqual([{ text: 'late' }]);
  });
});
