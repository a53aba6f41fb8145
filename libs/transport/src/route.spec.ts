import { routeOf } from './route.js';

describe('routeOf', () => {
  it.each([
    ['POST', '/', { kind: 'json-rpc' }],
    ['POST', '/a2a/', { kind: 'json-rpc' }],
    ['POST', '/agents/a.b~c', { kind: 'json-rpc', agentId: 'a.b~c' }],
    ['POST', '/echo', { kind: 'not-found' }],
    ['POST', '/agents/tasks', { kind: 'not-found' }],
    ['POST', '/agents/echo/acme', { kind: 'not-found' }],
    ['GET', '//', { kind: 'method-not-allowed', allow: 'POST, OPTIONS', rpc: true }],
    ['GET', '/tasks/', { kind: 'rest', operation: 'listTasks', fields: {} }],
    ['GET', '/tasks//x', { kind: 'not-found' }],
    ['GET', '/tasks/:cancel', { kind: 'rest', operation: 'getTask', fields: { id: ':cancel' } }],
    ['GET', '/tasks/a:cancelled', { kind: 'rest', operation: 'getTask', fields: { id: 'a:cancelled' } }],
    ['GET', '/tasks/a:b:subscribe', { kind: 'rest', operation: 'subscribeToTask', fields: { id: 'a:b' } }],
    ['GET', '/x/y/tasks', { kind: 'not-found' }],
    ['GET', '/agents/e/t1/tasks/x', { kind: 'rest', agentId: 'e', tenant: 't1', operation: 'getTask', fields: { id: 'x' } }],
    ['GET', '/acme/extendedAgentCard', { kind: 'rest', tenant: 'acme', operation: 'getExtendedAgentCard', fields: {} }],
    ['GET', '/.well-known/agent.json', { kind: 'agent-card', legacy: true }],
    ['HEAD', '/agents/echo/.well-known/agent.json', { kind: 'agent-card', agentId: 'echo', legacy: true }],
    ['GET', '/.well-known/jwks.json', { kind: 'key-set' }],
    ['GET', '/agents/echo/.well-known/jwks.json', { kind: 'not-found' }],
    ['POST', '/.well-known/jwks.json', { kind: 'method-not-allowed', allow: 'GET, HEAD, OPTIONS', rpc: false }],
    ['GET', '/acme/.well-known/agent-card.json', { kind: 'not-found' }],
    ['GET', '/v1/tasks', { kind: 'version-0.3', v1: ['tasks'] }],
    ['HEAD', '/agents/', { kind: 'agent-list' }],
    ['POST', '/agents', { kind: 'method-not-allowed', allow: 'GET, HEAD, OPTIONS', rpc: false }],
    ['POST', '/v1/message:send', { kind: 'version-0.3', v1: ['message:send'] }],
    ['GET', '/v1/card', { kind: 'version-0.3', v1: ['card'] }],
    ['POST', '/agents/echo/v1/tasks/t:cancel', { kind: 'version-0.3', agentId: 'echo', v1: ['tasks', 't:cancel'] }],
    ['GET', '/v1', { kind: 'not-found' }],
    ['GET', '/v1/nothing', { kind: 'not-found' }],
    ['HEAD', '/tasks/x', { kind: 'rest', operation: 'getTask', fields: { id: 'x' } }],
    ['HEAD', '/tasks/x:subscribe', { kind: 'method-not-allowed', allow: 'GET, POST, OPTIONS', rpc: false }],
    ['GET', '/tasks/%E0%A4%A', { kind: 'not-found' }],
    ['GET', '/tasks/%f0%9f%98%80', { kind: 'rest', operation: 'getTask', fields: { id: '😀' } }],
  ])('%s %s', (method, path, route) => {
    expect(routeOf(method, path)).toEqual(route);
  });
});
