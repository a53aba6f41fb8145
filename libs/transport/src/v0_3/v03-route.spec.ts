import { routeOf } from '../route.js';
import { v03RouteOf, type V03Route } from './v03-route.js';

const found = (method: string, path: string): unknown => {
  const route = routeOf(method, path);
  return route.kind === 'version-0.3' ? v03RouteOf(method, route as V03Route) : route;
};

describe('v03RouteOf', () => {
  it.each([
    ['POST', '/message:send', 'sendMessage', {}],
    ['POST', '/message:stream', 'sendStreamingMessage', {}],
    ['GET', '/tasks/t', 'getTask', { id: 't' }],
    ['HEAD', '/tasks/t', 'getTask', { id: 't' }],
    ['GET', '/tasks/a:b', 'getTask', { id: 'a:b' }],
    ['POST', '/tasks/t:cancel', 'cancelTask', { id: 't' }],
    ['GET', '/tasks/t:subscribe', 'subscribeToTask', { id: 't' }],
    ['POST', '/tasks/t:subscribe', 'subscribeToTask', { id: 't' }],
    ['POST', '/tasks/t/pushNotificationConfigs', 'createTaskPushNotificationConfig', { taskId: 't' }],
    ['GET', '/tasks/t/pushNotificationConfigs', 'listTaskPushNotificationConfigs', { taskId: 't' }],
    ['GET', '/tasks/t/pushNotificationConfigs/p', 'getTaskPushNotificationConfig', { taskId: 't', id: 'p' }],
    ['DELETE', '/tasks/t/pushNotificationConfigs/p', 'deleteTaskPushNotificationConfig', { taskId: 't', id: 'p' }],
    ['GET', '/card', 'getExtendedAgentCard', {}],
  ])('%s /v1%s is %s', (method, path, operation, fields) => {
    expect(found(method, `/agents/a/v1${path}`)).toEqual({ kind: 'rest', agentId: 'a', operation, fields });
    expect(found(method, `/v1${path}`)).toEqual({ kind: 'rest', operation, fields });
  });

  it.each([
    ['GET', '/tasks'],
    ['GET', '/extendedAgentCard'],
    ['GET', '/card/more'],
    ['GET', '/nothing'],
    ['GET', ''],
  ])('%s /v1%s is nothing', (method, path) => {
    expect(found(method, `/agents/a/v1${path}`)).toEqual({ kind: 'not-found' });
  });

  it.each([
    ['GET', '/message:send', 'POST, OPTIONS'],
    ['POST', '/card', 'GET, HEAD, OPTIONS'],
    ['DELETE', '/tasks/t', 'GET, HEAD, OPTIONS'],
  ])('%s /v1%s is not allowed, but %s', (method, path, allow) => {
    expect(found(method, `/v1${path}`)).toEqual({ kind: 'method-not-allowed', allow, rpc: false });
  });
});
