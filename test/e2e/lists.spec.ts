import { A2AClient, stateOf } from '../support/a2a-client.js';
import { useCluster } from '../support/cluster.js';

describe('lists and history', () => {
  const cluster = useCluster({ apis: 2, workers: 1 });
  const onA = () => new A2AClient(cluster.apiUrl(0)).agent('script');
  const onB = () => new A2AClient(cluster.apiUrl(1)).agent('script');

  it('five tasks with the same timestamp, two to a page, on alternating replicas: each once, totalSize 5', async () => {
    const contextId = 'five';
    const tasks = await Promise.all(Array.from({ length: 5 }, () => onA().sendForTask('input what?', { contextId })));
    // A status has its time twice: in its text, and where it is sorted by.
    await cluster.sql(`
      update task t set status_timestamp = last.status_timestamp, status = (t.status::jsonb || jsonb_build_object('timestamp', last.at))::text
      from (select status_timestamp, status::json->>'timestamp' as at from task where context_id = 'five' order by status_timestamp desc limit 1) last
      where t.context_id = 'five'`);
    const seen: string[] = [];
    let pageToken = '';
    let page = 0;
    do {
      const {
        tasks: listed,
        nextPageToken,
        totalSize,
        pageSize,
      } = await (page % 2 ? onB() : onA()).list({ contextId, pageSize: 2, pageToken });
      expect([totalSize, pageSize]).toEqual([5, 2]);
      seen.push(...listed.map(({ id }) => id));
      pageToken = nextPageToken;
      page += 1;
    } while (pageToken);
    expect(page).toBe(3);
    expect(seen.sort()).toEqual(tasks.map(({ id }) => id).sort());
  });

  it('filters by state and context, newest status first, with exact totals', async () => {
    const contextId = 'mixed';
    for (const script of ['complete', 'input q?', 'complete', 'fail no', 'input q?', 'complete'])
      await onA().sendForTask(script, { contextId });
    const all = await onB().list({ contextId });
    expect(all.totalSize).toBe(6);
    const times = all.tasks.map(({ status }) => status.timestamp as string);
    expect(times).toEqual([...times].sort().reverse());
    const asked = await onB().list({ contextId, status: 'TASK_STATE_INPUT_REQUIRED' });
    expect([asked.totalSize, asked.tasks.length, asked.nextPageToken]).toEqual([2, 2, '']);
    const since = await onB().list({ contextId, statusTimestampAfter: times[2] });
    expect(since.totalSize).toBe(times.filter((time) => time >= (times[2] as string)).length);
  });

  it('a task that is updated while a client pages is not lost and does not stop the paging', async () => {
    const contextId = 'moving';
    const tasks = [];
    for (let i = 0; i < 6; i += 1) tasks.push(await onA().sendForTask('input q?', { contextId }));
    const first = await onA().list({ contextId, pageSize: 2 });
    await onB().sendForTask('complete', { taskId: tasks[0]?.id as string });
    const seen = new Set(first.tasks.map(({ id }) => id));
    for (let pageToken = first.nextPageToken; pageToken;) {
      const page = await onB().list({ contextId, pageSize: 2, pageToken });
      page.tasks.forEach(({ id }) => seen.add(id));
      pageToken = page.nextPageToken;
    }
    const again = await onB().list({ contextId, pageSize: 2 });
    again.tasks.forEach(({ id }) => seen.add(id));
    expect(seen.size).toBe(6);
  });

  it('leaves artifacts and history out unless they are asked for', async () => {
    const contextId = 'content';
    await onA().sendForTask('artifact a text\ncomplete done', { contextId });
    const [bare] = (await onB().list({ contextId })).tasks;
    expect(bare).toBeDefined();
    expect(bare).not.toHaveProperty('artifacts');
    expect(bare).not.toHaveProperty('history');
    const [full] = (await onB().list({ contextId, includeArtifacts: true, historyLength: 1 })).tasks;
    expect(full?.artifacts?.[0]?.parts[0]?.text).toBe('text');
    expect(full?.history?.map(({ parts }) => parts[0]?.text)).toEqual(['done']);
  });

  it.each([
    [undefined, 2],
    [0, undefined],
    [1, 1],
    [100, 2],
  ])('historyLength %s gives the same from send, get and the other replica', async (historyLength, length) => {
    const sent = await onA().sendForTask('complete done', historyLength === undefined ? {} : { historyLength });
    const got = await onB().get(sent.id, historyLength);
    expect(sent.history?.length).toBe(length);
    expect(got).toEqual(sent);
  });

  it.each([['junk'], [12], [true], ['2026-13-01T00:00:00Z']])(
    '%p as statusTimestampAfter is a field violation',
    async (value) => {
      await expect(onA().list({ statusTimestampAfter: value })).rejects.toMatchObject({
        code: -32602,
        data: expect.arrayContaining([
          expect.objectContaining({ fieldViolations: [expect.objectContaining({ field: 'statusTimestampAfter' })] }),
        ]),
      });
    },
  );

  it('a cursor with other filters, or of another tenant, is refused', async () => {
    const contextId = 'cursor';
    await Promise.all([onA().sendForTask('complete', { contextId }), onA().sendForTask('complete', { contextId })]);
    const { nextPageToken } = await onA().list({ contextId, pageSize: 1 });
    expect(nextPageToken).not.toBe('');
    await expect(onB().list({ contextId: 'other', pageToken: nextPageToken })).rejects.toMatchObject({ code: -32602 });
    await expect(onB().list({ contextId, tenant: 'other', pageToken: nextPageToken })).rejects.toMatchObject({ code: -32602 });
  });

  it('I7: another tenant does not see the task, in any operation, and the answer is that of a task that never was', async () => {
    const { id } = await onA().sendForTask('input q?', { contextId: 'tenants' });
    const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'x' }], taskId: id };
    const calls: [string, object][] = [
      ['GetTask', { id }],
      ['CancelTask', { id }],
      ['SubscribeToTask', { id }],
      ['SendMessage', { message }],
      ['SendStreamingMessage', { message }],
    ];
    for (const client of [onA(), onB()]) {
      for (const [method, params] of calls) {
        const denied = await client.rpc(method, { ...params, tenant: 'other' }).catch((error: unknown) => error);
        expect(denied).toMatchObject({ code: -32001, message: '-32001: Task not found' });
      }
      expect((await client.list({ tenant: 'other', contextId: 'tenants' })).totalSize).toBe(0);
    }
    expect(stateOf(await onB().get(id))).toBe('TASK_STATE_INPUT_REQUIRED');
  });

  it('the same contextId of two tenants is two contexts', async () => {
    const mine = await onA().sendForTask('complete', { contextId: 'same' });
    const response = await onA().rpc<{ task: { id: string } }>('SendMessage', {
      tenant: 'b',
      message: { messageId: 'x', role: 'ROLE_USER', contextId: 'same', parts: [{ text: 'complete' }] },
    });
    expect((await onA().list({ contextId: 'same' })).tasks.map(({ id }) => id)).toEqual([mine.id]);
    expect((await onB().list({ contextId: 'same', tenant: 'b' })).tasks.map(({ id }) => id)).toEqual([response.task.id]);
  });
});
