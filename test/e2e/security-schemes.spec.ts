import { projectRoot } from '#platform';
import type { AgentCard, SecurityScheme } from '#protocol';
import { startCluster, type Cluster, type ClusterProcess } from '#testing';
import { join } from 'node:path';
import { CLIENT, TestProvider } from '../../libs/auth/src/identity-provider.spec-support.js';
import { createKey } from '../support/chorus-command.js';
import { clientCredentialsToken, deviceToken } from '../support/oauth-client.js';
import { ThreeBindings, type Headers } from '../support/three-bindings.js';

type Kind = 'apiKeySecurityScheme' | 'httpAuthSecurityScheme' | 'oauth2SecurityScheme' | 'openIdConnectSecurityScheme';

describe('each scheme that a card declares lets in who knows the card alone, over every binding', () => {
  let provider: TestProvider;
  let cluster: Cluster;
  let api: ClusterProcess;
  let card: AgentCard;
  let apiKey: string;

  beforeAll(async () => {
    provider = await TestProvider.start();
    const agents = join(projectRoot, 'test', 'fixtures', 'agents');
    cluster = await startCluster({ apis: 0, workers: 1, env: { CHORUS_AGENTS_DIR: agents, LOG_LEVEL: 'warn' } });
    api = await cluster.addApi({
      CHORUS_AUTH: 'apikey,jwt',
      JWT_ISSUER: provider.issuer,
      JWT_AUDIENCE: 'chorus',
      OAUTH2_TOKEN_URL: provider.tokenUrl,
      OAUTH2_DEVICE_AUTHORIZATION_URL: provider.deviceAuthorizationUrl,
    });
    apiKey = (await createKey(cluster.databaseUrl, '--principal', 'keyholder')).key;
    card = (await json(`${api.url}/agents/echo/.well-known/agent-card.json`)) as AgentCard;
  }, 60_000);
  afterAll(async () => {
    await cluster.stop();
    await provider.stop();
  });

  const json = async (url: string): Promise<unknown> => (await fetch(url, { headers: { 'a2a-version': '1.0' } })).json();
  const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

  /** What a client does with each kind of scheme, and whom its credential names. */
  const clients: Record<Kind, (scheme: never) => Promise<[principal: string, Headers]>> = {
    apiKeySecurityScheme: async ({ name }: { name: string }) => ['keyholder', { [name.toLowerCase()]: apiKey }],
    httpAuthSecurityScheme: async ({ scheme }: { scheme: string }) => ['keyholder', { authorization: `${scheme} ${apiKey}` }],
    openIdConnectSecurityScheme: async ({ openIdConnectUrl }: { openIdConnectUrl: string }) => {
      const { token_endpoint: tokenUrl } = (await json(openIdConnectUrl)) as { token_endpoint: string };
      return [CLIENT.id, bearer(await clientCredentialsToken({ tokenUrl, scope: 'tasks:read' }, CLIENT))];
    },
    oauth2SecurityScheme: async ({ flows }: { flows: Record<string, never> }) => {
      const { scopes, ...urls } = Object.values(flows)[0] as unknown as { scopes: object } & Record<string, string>;
      const asked = { ...urls, scope: Object.keys(scopes).join(' ') } as never;
      if ('clientCredentials' in flows) return [CLIENT.id, bearer(await clientCredentialsToken(asked, CLIENT))];
      return ['grace', bearer(await deviceToken(asked, (userCode) => provider.approve(userCode, 'grace')))];
    },
  };

  it('and declares no other', async () => {
    const schemes = card.securitySchemes as Record<string, SecurityScheme>;
    expect(Object.keys(schemes)).toEqual(['apiKey', 'bearer', 'oidc', 'oauth2ClientCredentials', 'oauth2DeviceCode']);
    expect(card.securityRequirements?.map(({ schemes: together }) => Object.keys(together))).toEqual(
      Object.keys(schemes).map((name) => [name]),
    );
    const three = new ThreeBindings({ url: api.url, grpcAddress: `127.0.0.1:${api.grpcPort}` }, 'echo');
    for (const [name, scheme] of Object.entries(schemes)) {
      const [kind, said] = Object.entries(scheme)[0] as [Kind, never];
      const [, headers] = await clients[kind](said);
      expect([name, await three.same('listTasks', () => ({}), headers)]).toMatchObject([name, { result: { totalSize: 0 } }]);
    }
    const denied = await three.same('listTasks', () => ({}), bearer(await provider.token({ aud: 'another' })));
    expect(denied).toMatchObject({ error: { details: [{ reason: 'UNAUTHENTICATED' }] } });
    three.close();
  });

  it('who knows nothing is told by the refusal where to get a token', async () => {
    const url = `${api.url}/agents/echo`;
    const refused = await fetch(`${url}/tasks`, { headers: { 'a2a-version': '1.0' } });
    const [, metadataUrl] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    expect([refused.status, metadataUrl]).toEqual([401, `${api.url}/.well-known/oauth-protected-resource/agents/echo`]);
    const { resource, authorization_servers: servers } = (await json(metadataUrl as string)) as Record<string, string>;
    expect(resource).toBe(url);
    const { token_endpoint: tokenUrl } = (await json(`${servers?.[0]}/.well-known/openid-configuration`)) as Record<
      string,
      string
    >;
    const token = await clientCredentialsToken({ tokenUrl: tokenUrl as string, scope: 'tasks:read' }, CLIENT);
    expect((await fetch(`${url}/tasks`, { headers: { 'a2a-version': '1.0', ...bearer(token) } })).status).toBe(200);
  });
});
