import { projectRoot } from '#platform';
import type { AgentCard, SecurityScheme } from '#protocol';
import { startCluster, type Cluster, type ClusterProcess } from '#testing';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from '../../libs/outbound/src/certificate.spec-support.js';
import { CLIENT, TestProvider } from '../../libs/auth/src/identity-provider.spec-support.js';
import { createKey } from '../support/chorus-command.js';
import { clientCredentialsToken, deviceToken } from '../support/oauth-client.js';
import { ThreeBindings, type Headers } from '../support/three-bindings.js';

type Kind =
  | 'mtlsSecurityScheme'
  | 'apiKeySecurityScheme'
  | 'httpAuthSecurityScheme'
  | 'oauth2SecurityScheme'
  | 'openIdConnectSecurityScheme';

describe('each scheme that a card declares lets in who knows the card alone, over every binding', () => {
  let provider: TestProvider;
  let cluster: Cluster;
  let api: ClusterProcess;
  let card: AgentCard;
  let apiKey: string;
  let folder: string;
  const pinned = selfSigned('pinned.test');

  beforeAll(async () => {
    provider = await TestProvider.start();
    folder = await mkdtemp(join(tmpdir(), 'chorus-certificates-'));
    const agents = join(projectRoot, 'test', 'fixtures', 'agents');
    cluster = await startCluster({ apis: 0, workers: 1, env: { CHORUS_AGENTS: agents, LOG_LEVEL: 'warn' } });
    api = await cluster.addApi({
      CHORUS_AUTH: 'apikey,jwt,mtls',
      MTLS_HEADER: 'Client-Cert',
      JWT_ISSUER: provider.issuer,
      JWT_AUDIENCE: 'chorus',
      OAUTH2_TOKEN_URL: provider.tokenUrl,
      OAUTH2_DEVICE_AUTHORIZATION_URL: provider.deviceAuthorizationUrl,
    });
    apiKey = (await createKey(cluster.databaseUrl, '--principal', 'keyholder')).key;
    await writeFile(join(folder, 'robot.pem'), pinned.cert);
    await createKey(cluster.databaseUrl, '--principal', 'pinned', '--certificate', join(folder, 'robot.pem'));
    await createKey(cluster.databaseUrl, '--principal', 'named', '--san', 'URI:spiffe://acme/named');
    card = (await json(`${api.url}/agents/echo/.well-known/agent-card.json`)) as AgentCard;
  }, 60_000);
  afterAll(async () => {
    await cluster.stop();
    await provider.stop();
    await rm(folder, { recursive: true });
  });

  const json = async (url: string): Promise<unknown> => (await fetch(url, { headers: { 'a2a-version': '1.0' } })).json();
  const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });

  const certificate = (pem: string): Headers => ({ 'client-cert': `:${new X509Certificate(pem).raw.toString('base64')}:` });

  /** What a client does with each kind of scheme. */
  const clients: Record<Kind, (scheme: never) => Promise<Headers>> = {
    apiKeySecurityScheme: async ({ name }: { name: string }) => ({ [name.toLowerCase()]: apiKey }),
    httpAuthSecurityScheme: async ({ scheme }: { scheme: string }) => ({ authorization: `${scheme} ${apiKey}` }),
    openIdConnectSecurityScheme: async ({ openIdConnectUrl }: { openIdConnectUrl: string }) => {
      const { token_endpoint: tokenUrl } = (await json(openIdConnectUrl)) as { token_endpoint: string };
      return bearer(await clientCredentialsToken({ tokenUrl, scope: 'tasks:read' }, CLIENT));
    },
    // As the proxy hands it on that the client has shown it to.
    mtlsSecurityScheme: async () => certificate(pinned.cert),
    oauth2SecurityScheme: async ({ flows }: { flows: Record<string, never> }) => {
      const { scopes, ...urls } = Object.values(flows)[0] as unknown as { scopes: object } & Record<string, string>;
      const asked = { ...urls, scope: Object.keys(scopes).join(' ') } as never;
      if ('clientCredentials' in flows) return bearer(await clientCredentialsToken(asked, CLIENT));
      return bearer(await deviceToken(asked, (userCode) => provider.approve(userCode, 'grace')));
    },
  };

  it('and declares no other', async () => {
    const schemes = card.securitySchemes as Record<string, SecurityScheme>;
    expect(Object.keys(schemes)).toEqual(['apiKey', 'bearer', 'oidc', 'oauth2ClientCredentials', 'oauth2DeviceCode', 'mtls']);
    expect(card.securityRequirements?.map(({ schemes: together }) => Object.keys(together))).toEqual(
      Object.keys(schemes).map((name) => [name]),
    );
    const three = new ThreeBindings({ url: api.url, grpcAddress: `127.0.0.1:${api.grpcPort}` }, 'echo');
    for (const [name, scheme] of Object.entries(schemes)) {
      const [kind, said] = Object.entries(scheme)[0] as [Kind, never];
      const headers = await clients[kind](said);
      expect([name, await three.same('listTasks', () => ({}), headers)]).toMatchObject([name, { result: { totalSize: 0 } }]);
    }
    const named = certificate(selfSigned('x.test', 'spiffe://acme/named').cert);
    expect(await three.same('listTasks', () => ({}), named)).toMatchObject({ result: { totalSize: 0 } });
    for (const strange of [bearer(await provider.token({ aud: 'another' })), certificate(selfSigned('pinned.test').cert)]) {
      const denied = await three.same('listTasks', () => ({}), strange);
      expect(denied).toMatchObject({ error: { details: [{ reason: 'UNAUTHENTICATED' }] } });
    }
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
