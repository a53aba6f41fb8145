import { ApiKeys, Authentication, newApiKey } from '#auth';
import { AuditTrail, SILENT, type NewAuditEntry, type StoredApiKey } from '#core';
import { OPERATIONS, type OperationName, type Scope } from '#protocol';
import { InMemoryApiKeyStore, InMemoryAuditLog, InMemoryDatabase, InMemoryErasureStore } from '#testing';
import { auditRoute, eraseRoute } from '#transport';
import { v7 as uuidv7 } from 'uuid';
import { ApiFixture, framesOf, TASK } from './api-fixture.spec-support.js';

const database = new InMemoryDatabase();
const keys = new InMemoryApiKeyStore(database);
const log = new InMemoryAuditLog(database);
const taskId = uuidv7();

class Told extends AuditTrail {
  readonly entries: NewAuditEntry[] = [];
  readonly refusals: NewAuditEntry[] = [];
  override add(entry: NewAuditEntry): void {
    this.entries.push(entry);
  }
  override addRefusal(entry: NewAuditEntry): void {
    this.refusals.push(entry);
  }
}

async function keyWith(scopes: readonly Scope[], more: Partial<StoredApiKey> = {}) {
  const { id, key, secretHash } = newApiKey();
  await keys.add({ id, secretHash, tenant: 'acme', principal: 'ada', scopes, createdAt: 0, ...more });
  return { id, headers: { 'x-api-key': key } };
}

const follow = { message: { messageId: 'm', role: 'ROLE_USER', taskId, parts: [{ text: 'swordfish' }] } };
const PARAMS: Partial<Record<OperationName, object>> = {
  sendMessage: follow,
  sendStreamingMessage: follow,
  getTask: { id: taskId },
  listTasks: {},
  cancelTask: { id: taskId },
  subscribeToTask: { id: taskId },
};
const operations = Object.keys(PARAMS) as OperationName[];
const READS = ['getTask', 'listTasks', 'subscribeToTask'];

describe('what a request leaves in the audit log', () => {
  let api: ApiFixture;
  let told: Told;
  let all: Awaited<ReturnType<typeof keyWith>>;

  async function start(reads: boolean): Promise<void> {
    told = new Told(log, SILENT, { reads });
    const adminRoutes = [auditRoute(log), eraseRoute(new InMemoryErasureStore(database))];
    api = await ApiFixture.start({ authentication: new Authentication([new ApiKeys(keys)]), audit: told, adminRoutes });
    const accepted = { taskId, contextId: 'c1' };
    api.handler.answers = {
      sendMessage: async (ctx) => {
        ctx.onAccepted?.(accepted);
        return `{"task":${TASK}}`;
      },
      sendStreamingMessage: async (ctx) => {
        ctx.onAccepted?.(accepted);
        return framesOf([]);
      },
    };
  }
  beforeEach(async () => {
    await start(false);
    all = await keyWith(['tasks:read', 'tasks:write']);
  });
  afterEach(() => api.stop());

  const call = (operation: OperationName, headers: Record<string, string>, params = PARAMS[operation]) =>
    api.rpc({ jsonrpc: '2.0', id: 1, method: OPERATIONS[operation].method, params }, { headers });
  const who = () => ({ tenant: 'acme', principal: 'ada', credentialId: all.id, address: '127.0.0.1' });
  const about = (operation: OperationName) => ({
    ...{ source: 'a2a', operation: OPERATIONS[operation].method, agentId: 'echo', ...who() },
    ...(operation === 'listTasks' ? {} : { taskId }),
    ...(operation.startsWith('send') ? { contextId: 'c1' } : {}),
  });

  it.each(operations)('%s: who did what to which task, once; a read only when all is wanted', async (operation) => {
    await call(operation, all.headers);
    expect(told.entries).toEqual(READS.includes(operation) ? [] : [{ ...about(operation), outcome: 'OK' }]);
    await api.stop();
    await start(true);
    await call(operation, all.headers);
    expect(told.entries).toEqual([{ ...about(operation), outcome: 'OK' }]);
    expect(told.refusals).toEqual([]);
  });

  it.each(operations)('%s: a call that is denied, whatever is wanted', async (operation) => {
    all = await keyWith([]);
    await call(operation, all.headers);
    const { contextId: _, ...denied } = about(operation) as NewAuditEntry;
    expect(told.refusals).toEqual([{ ...denied, outcome: 'PERMISSION_DENIED' }]);
    expect(told.entries).toEqual([]);
  });

  it('a request that is not let in: from where, and nothing of what it holds', async () => {
    const headers = { 'x-api-key': `${all.headers['x-api-key'].slice(0, -6)}aaaaaa` };
    await call('sendMessage', headers);
    await api.send('GET', '/admin/audit', {});
    const refused = { source: 'a2a', operation: 'Admit', outcome: 'UNAUTHENTICATED', address: '127.0.0.1' };
    expect(told.refusals).toEqual([refused, refused]);
    expect(told.entries).toEqual([]);
  });

  it('an attempt that failed, with its reason, and no id that is none', async () => {
    await call('sendMessage', all.headers, { message: { ...follow.message, parts: [], taskId: 'a secret' } });
    const { taskId: _, contextId: _also, ...rest } = about('sendMessage') as NewAuditEntry;
    expect(told.entries).toEqual([{ ...rest, outcome: 'INVALID_PARAMS', tenant: 'acme' }]);
  });

  it('what came of a send is its acceptance: the answer may come much later, or not at all', async () => {
    api.handler.answers.sendMessage = async (ctx) => {
      ctx.onAccepted?.({ taskId, contextId: 'c1' });
      throw new Error('the wait was cut short');
    };
    await call('sendMessage', all.headers);
    expect(told.entries.map(({ outcome }) => outcome)).toEqual(['OK']);
  });

  it.each([
    ['r-1', 'r-1'],
    ['with blanks', undefined],
    ['x'.repeat(129), undefined],
  ])('the id that a proxy gave the request: %s', async (sent, kept) => {
    await call('cancelTask', { ...all.headers, 'x-request-id': sent });
    expect(told.entries[0]?.requestId).toBe(kept);
  });

  describe('of administrators', () => {
    const admin = (more: Partial<StoredApiKey> = {}) => keyWith(['admin'], { principal: 'root', ...more });
    const erase = async (headers: Record<string, string>, body: object) =>
      api.send('POST', '/admin/erase', { 'content-type': 'application/json', ...headers }, JSON.stringify(body));

    it('what they change, not what they look at', async () => {
      const { id, headers } = await admin();
      await erase(headers, { principal: 'eve', context: 'c' });
      await api.send('GET', '/admin/audit', headers);
      expect(told.entries).toEqual([]);
      await erase(headers, { principal: 'eve', context: 'c', confirm: true });
      expect(told.entries).toEqual([
        {
          ...{ source: 'admin', operation: 'EraseData', outcome: 'OK', tenant: 'acme', principal: 'root', credentialId: id },
          ...{ subject: 'principal eve', address: '127.0.0.1' },
        },
      ]);
    });

    it('what they may not', async () => {
      await erase((await keyWith(['tasks:read'])).headers, {});
      await erase((await admin()).headers, { tenant: 'umbrella', confirm: true });
      expect(told.refusals.map(({ principal, operation, outcome, subject }) => [principal, operation, outcome, subject])).toEqual(
        [
          ['ada', 'Administrate', 'PERMISSION_DENIED', undefined],
          ['root', 'Administrate', 'PERMISSION_DENIED', 'POST /admin/erase'],
        ],
      );
    });

    it('read it page by page, each of its own tenant', async () => {
      const at = Date.UTC(2026, 11, 1);
      const entry = (tenant: string, subject: string) =>
        ({ at, source: 'command', operation: 'CreateApiKey', outcome: 'OK', tenant, subject }) as const;
      await log.record([entry('acme', '1'), entry('acme', '2'), entry('umbrella', '3')]);
      const read = async (headers: Record<string, string>, query: string) =>
        (await api.send('GET', `/admin/audit?${query}`, headers)).json;
      const [ofAcme, ofAll] = [(await admin()).headers, (await admin({ tenant: undefined })).headers];
      const page = await read(ofAcme, 'operation=CreateApiKey&limit=1');
      const shown = { at: '2026-12-01T00:00:00.000Z', source: 'command', operation: 'CreateApiKey', outcome: 'OK', count: 1 };
      expect(page).toEqual({
        entries: [{ ...shown, id: expect.any(Number), tenant: 'acme', subject: '2' }],
        before: page.entries[0].id,
      });
      const next = await read(ofAcme, `operation=CreateApiKey&limit=2&before=${page.before}`);
      expect(next).toEqual({ entries: [{ ...shown, id: expect.any(Number), tenant: 'acme', subject: '1' }] });
      expect((await read(ofAll, 'operation=CreateApiKey')).entries).toHaveLength(3);
      expect((await read(ofAll, 'operation=CreateApiKey&tenant=umbrella')).entries).toHaveLength(1);
      expect((await read(ofAll, 'since=2026-12-01T00:00:00.001Z')).entries).toEqual([]);
      expect((await read(ofAcme, 'tenant=umbrella')).error.code).toBe(403);
      for (const wrong of ['since=yesterday', 'before=x', 'limit=0', 'principle=ada']) {
        expect((await read(ofAcme, wrong)).error.code).toBe(400);
      }
    });
  });
});
