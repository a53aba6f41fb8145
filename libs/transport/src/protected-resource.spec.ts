import { AgentNotFoundError, UnauthenticatedError } from '#protocol';
import { Cors } from './cors.js';
import type { Host } from './host.js';
import type { HttpRequest } from './http.js';
import { answerProtectedResource, withResourceMetadata } from './protected-resource.js';

const authentication = {
  schemes: {},
  authorizationServers: ['https://idp.test'],
  authenticate: () => Promise.reject(new Error()),
};
const host = {
  authentication,
  cors: new Cors(['*']),
  agents: {
    find: async (id: string) => {
      if (id !== 'echo') throw new AgentNotFoundError(id);
      return {};
    },
  },
} as unknown as Host;
const request = (url: string, origin = 'https://h.test/base', forwarded = false): HttpRequest =>
  ({ method: 'GET', url, headers: {}, origin: { url: origin, forwarded } }) as unknown as HttpRequest;

describe('metadata of a protected resource', () => {
  it.each([
    [undefined, 'https://h.test/base'],
    ['echo', 'https://h.test/base/agents/echo'],
  ])('of %s is about %s', async (agentId, resource) => {
    const answer = await answerProtectedResource(host, request('/'), agentId);
    expect(answer).toMatchObject({ status: 200, headers: { 'cache-control': 'public, max-age=300', etag: expect.any(String) } });
    expect(JSON.parse(answer?.body ?? '')).toEqual({
      resource,
      authorization_servers: ['https://idp.test'],
      scopes_supported: ['tasks:read', 'tasks:write', 'push', 'card:extended', 'admin'],
      bearer_methods_supported: ['header'],
    });
  });

  it('is for one client alone when its URL comes from headers', async () => {
    const answer = await answerProtectedResource(host, request('/', 'https://h.test', true), undefined);
    expect(answer?.headers).toMatchObject({
      'cache-control': 'private, max-age=300',
      vary: expect.stringContaining('x-forwarded-host'),
    });
  });

  it('is not there for an agent that is not, nor where tokens are not accepted', async () => {
    await expect(answerProtectedResource(host, request('/'), 'nobody')).rejects.toThrow(AgentNotFoundError);
    const keysAlone = { ...host, authentication: { ...authentication, authorizationServers: [] } };
    expect(await answerProtectedResource(keysAlone, request('/'), undefined)).toBeUndefined();
  });
});

describe('withResourceMetadata', () => {
  const refused = new UnauthenticatedError('No', 'Bearer realm="chorus"');
  const well = 'https://h.test/.well-known/oauth-protected-resource';

  it.each([
    ['/tasks', well],
    ['/agents/echo/tasks/t1', `${well}/agents/echo`],
    ['/agents/%22%3E/tasks', `${well}/agents/%22%3E`],
    ['/lf.a2a.v1.A2AService/GetTask', well],
  ])('says for %s that it is told at %s', (url, metadata) => {
    const { message, challenge } = withResourceMetadata(host, request(url, 'https://h.test'), refused);
    expect([message, challenge]).toEqual(['No', `Bearer realm="chorus", resource_metadata="${metadata}"`]);
  });

  it('says nothing where tokens are not accepted', () => {
    expect(withResourceMetadata({}, request('/tasks'), refused)).toBe(refused);
  });
});
