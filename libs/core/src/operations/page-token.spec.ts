import { InvalidParamsError } from '#protocol';
import { ANONYMOUS, type CallContext } from '../call-context.js';
import { PageTokens } from './page-token.js';

const ctx: CallContext = { tenant: '', principal: ANONYMOUS, agentId: 'a', extensions: [] };
const position = { statusTimestamp: 1_700_000_000_123, taskId: '0190a000-0000-7000-8000-000000000000' };

describe('page tokens', () => {
  const tokens = new PageTokens(Buffer.alloc(32, 7));

  it('bring back the position, also on a replica with the same key', () => {
    const pageToken = tokens.write(ctx, { contextId: 'c' }, position);
    expect(new PageTokens(Buffer.alloc(32, 7)).read(ctx, { contextId: 'c', pageToken })).toEqual(position);
  });

  it('allow another page size and view', () => {
    const pageToken = tokens.write(ctx, { pageSize: 2 }, position);
    expect(tokens.read(ctx, { pageSize: 100, includeArtifacts: true, pageToken })).toEqual(position);
  });

  it.each([
    ['another context', ctx, { contextId: 'd' }],
    ['another state', ctx, { contextId: 'c', status: 'TASK_STATE_WORKING' as const }],
    ['another time', ctx, { contextId: 'c', statusTimestampAfter: '2026-01-01T00:00:00.000Z' }],
    ['another tenant', { ...ctx, tenant: 'x' }, { contextId: 'c' }],
    ['another agent', { ...ctx, agentId: 'b' }, { contextId: 'c' }],
    ['another principal', { ...ctx, principal: { id: 'p' } }, { contextId: 'c' }],
  ])('are refused for %s', (_, other, filters) => {
    const pageToken = tokens.write(ctx, { contextId: 'c' }, position);
    expect(() => tokens.read(other, { ...filters, pageToken })).toThrow(InvalidParamsError);
  });

  it.each(['x', 'AAAA', Buffer.alloc(60).toString('base64url')])('are refused when they were not made here: %s', (pageToken) => {
    expect(() => tokens.read(ctx, { pageToken })).toThrow(InvalidParamsError);
  });

  it('are refused when a byte was changed', () => {
    const bytes = Buffer.from(tokens.write(ctx, {}, position), 'base64url');
    bytes[20] = (bytes[20] as number) ^ 1;
    expect(() => tokens.read(ctx, { pageToken: bytes.toString('base64url') })).toThrow(InvalidParamsError);
  });
});
