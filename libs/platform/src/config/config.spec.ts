import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationPage } from './config-page.js';
import { ConfigError, loadConfig, loadLaunchConfig, unknownVariables } from './config.js';
import { projectRoot } from '../project-root.js';

const DATABASE_URL = 'postgres://localhost/chorus';

const faultOf = (environment: Record<string, string>): string => {
  try {
    loadConfig({ DATABASE_URL, ...environment });
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('The settings were accepted');
};

describe('loadConfig', () => {
  it('has a default for everything but the database, and freezes', () => {
    const config = loadConfig({ DATABASE_URL });
    expect(config).toMatchObject({
      host: '127.0.0.1',
      port: 3000,
      leaseMs: 9000,
      heartbeatMs: 3000,
      sweepMs: 2000,
      cancelGraceMs: 6000,
    });
    expect(config).toMatchObject({
      cancelAnswerMs: 5000,
      workerRoles: ['execute', 'push', 'reconcile'],
      trustProxy: ['127.0.0.0/8', '::1'],
    });
    expect(config.redisUrl).toBeUndefined();
    expect(Object.isFrozen(config)).toBe(true);
  });

  it.each([
    [{ PORT: '70000' }, 'PORT is not a whole number from 0 to 65535'],
    [{ PORT: '3e3' }, 'PORT is not a whole number from 0 to 65535'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL is not one of debug, info, warn, error, silent'],
    [{ REDIS_URL: 'localhost:6379' }, 'REDIS_URL is not a URL that starts with redis:// or rediss://'],
    [{ TRUST_PROXY: '10.0.0.0/33' }, 'TRUST_PROXY is not made of comma-separated IP addresses or CIDR blocks'],
    [{ WORKER_ROLES: 'execute,cook' }, 'WORKER_ROLES is not made of comma-separated words out of execute, push, reconcile'],
    [{ MAX_METADATA_DEPTH: '31' }, 'MAX_METADATA_DEPTH is not a whole number from 1 to 30'],
    ...['https://a.example/', '*,https://a.example', 'a.example', 'https://A.example', 'null'].map(
      (CORS_ORIGINS): [object, string] => [
        { CORS_ORIGINS },
        'CORS_ORIGINS is not `*`, `none` or made of comma-separated origins, as https://app.example.com',
      ],
    ),
    [{ PUBLIC_URL: 'https://a.example/?x' }, 'PUBLIC_URL may not have a query or a fragment'],
    [{ TURN_TIMEOUT_MS: '99999999999' }, 'TURN_TIMEOUT_MS is not a whole number from 100 to 2147483647'],
    [{ LEASE_MS: '5000' }, 'LEASE_MS (5000) is less than twice HEARTBEAT_MS (3000): one late heartbeat would lose a task'],
    [
      { CARD_SIGNING_KEY: 'k', CARD_SIGNING_KEY_FILE: 'f' },
      'CARD_SIGNING_KEY and CARD_SIGNING_KEY_FILE are both set: one of them has the key',
    ],
    [{ CARD_SIGNING_PREVIOUS_KEY: 'k' }, 'CARD_SIGNING_PREVIOUS_KEY is set without CARD_SIGNING_KEY: no key would sign'],
    ...['a', 'ab'.repeat(31), 'A'.repeat(42)].map((CHORUS_ENCRYPTION_KEY): [object, string] => [
      { CHORUS_ENCRYPTION_KEY },
      'CHORUS_ENCRYPTION_KEY is not 32 bytes, written as 64 hexadecimal digits or in base64',
    ]),
    [
      { CHORUS_ENCRYPTION_PREVIOUS_KEY: 'ab'.repeat(32) },
      'CHORUS_ENCRYPTION_PREVIOUS_KEY is set without CHORUS_ENCRYPTION_KEY: no key would encrypt',
    ],
    [{ GRPC_PORT: 'no' }, 'GRPC_PORT is not off or a whole number from 0 to 65535'],
    [{ GRPC_PORT: '65536' }, 'GRPC_PORT is not off or a whole number from 0 to 65535'],
    [
      { PUBLIC_GRPC_ADDRESS: 'https://a.example:443' },
      'PUBLIC_GRPC_ADDRESS is not a host and a port without a scheme, as a2a.example.com:443',
    ],
    [{ GRPC_TLS_KEY_FILE: 'k' }, 'One of GRPC_TLS_CERT_FILE and GRPC_TLS_KEY_FILE is set without the other'],
    [{ A2A_V03: 'true' }, 'A2A_V03 is not on or off'],
    [{ CHORUS_AUTH: 'none' }, 'CHORUS_AUTH is not made of comma-separated words out of apikey, jwt, mtls'],
    [{ CHORUS_INSECURE: '1' }, 'CHORUS_INSECURE is not true or false'],
    [
      { CHORUS_AUTH: 'jwt' },
      'CHORUS_AUTH has jwt, and JWT_ISSUER is not set; CHORUS_AUTH has jwt, and JWT_AUDIENCE is not set: tokens for others would be accepted',
    ],
    [
      { CHORUS_AUTH: 'jwt', JWT_AUDIENCE: 'a', JWT_ISSUER: 'http://idp.example' },
      'JWT_ISSUER is not https:, so that anyone between could make tokens',
    ],
    [
      { CHORUS_AUTH: 'apikey', OAUTH2_TOKEN_URL: 'https://idp.example/token' },
      'OAUTH2_TOKEN_URL is set, and CHORUS_AUTH has no jwt: its tokens would not be accepted',
    ],
    [
      { OAUTH2_DEVICE_AUTHORIZATION_URL: 'https://idp.example/device' },
      'OAUTH2_DEVICE_AUTHORIZATION_URL is set without OAUTH2_TOKEN_URL, where its codes become tokens',
    ],
    [
      { CHORUS_AUTH: 'jwt', JWT_AUDIENCE: 'a', JWT_ISSUER: 'https://idp.example', OAUTH2_TOKEN_URL: 'http://idp.example/token' },
      "OAUTH2_TOKEN_URL is not https:, so that anyone between could read clients' secrets",
    ],
    [{ CHORUS_AUTH: 'mtls' }, 'CHORUS_AUTH has mtls, and MTLS_HEADER is not set: no certificate would be seen'],
    [{ MTLS_HEADER: 'client-cert' }, 'MTLS_HEADER is set, and CHORUS_AUTH has no mtls: nobody would be let in by it'],
    [{ CHORUS_AUTH: 'mtls', MTLS_HEADER: 'client cert' }, 'MTLS_HEADER is not the name of a header'],
    [
      { JWT_ALGORITHMS: 'none' },
      'JWT_ALGORITHMS is not made of comma-separated words out of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA',
    ],
    [
      { JWT_ALGORITHMS: 'HS256' },
      'JWT_ALGORITHMS is not made of comma-separated words out of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA',
    ],
    [{ CANCEL_ANSWER_MS: '7000' }, 'CANCEL_ANSWER_MS (7000) is more than CANCEL_GRACE_MS (6000)'],
    [{ OUTAGE_MS: '8000' }, 'OUTAGE_MS (8000) is less than LEASE_MS (9000)'],
    [
      { PORT: 'x', BODY_LIMIT: 'y' },
      'PORT is not a whole number from 0 to 65535; BODY_LIMIT is not a whole number from 1024 to 1073741824',
    ],
  ])('refuses %j', (environment, message) => {
    expect(faultOf(environment as unknown as Record<string, string>)).toBe(message);
  });

  it.each([
    [undefined, ['*']],
    ['none', []],
    ['https://a.example, http://localhost:5173', ['https://a.example', 'http://localhost:5173']],
  ])('reads the origins %j as %j', (written, read) => {
    expect(loadConfig({ DATABASE_URL, CORS_ORIGINS: written }).corsOrigins).toEqual(read);
  });

  it.each([
    [undefined, true],
    ['off', false],
    ['on', true],
  ])('reads the switch %j as %j', (written, read) => {
    expect(loadConfig({ DATABASE_URL, A2A_V03: written }).serveV03).toBe(read);
  });

  it.each([
    [undefined, 50051],
    ['0', 0],
    ['off', undefined],
  ])('reads the port of gRPC %j as %j', (written, read) => {
    expect(loadConfig({ DATABASE_URL, GRPC_PORT: written }).grpcPort).toBe(read);
  });

  it.each(['hex', 'base64', 'base64url'] as const)('reads a key in %s', (encoding) => {
    const key = Buffer.from(Array.from({ length: 32 }, (_, n) => 255 - n));
    expect(loadConfig({ DATABASE_URL, CHORUS_ENCRYPTION_KEY: key.toString(encoding) }).encryptionKey).toEqual(key);
  });

  it('leaves out the slash at the end of PUBLIC_URL, to which paths are appended', () => {
    expect(loadConfig({ DATABASE_URL, PUBLIC_URL: 'https://a.example/base//' }).publicUrl).toBe('https://a.example/base');
  });

  it('does not repeat a wrong value, which may hold a password', () => {
    expect(faultOf({ DATABASE_URL: 'mysql://me:secret@localhost' })).not.toContain('secret');
  });

  it('takes an empty variable for one that is not set, but an empty list for a list', () => {
    expect(loadConfig({ DATABASE_URL, PORT: '', TRUST_PROXY: '' })).toMatchObject({ port: 3000, trustProxy: [] });
  });

  it('needs a database, except for the command that brings one', () => {
    expect(() => loadConfig({})).toThrow('DATABASE_URL is not set (a URL that starts with postgres:// or postgresql://)');
    expect(loadLaunchConfig({}).databaseUrl).toBeUndefined();
  });

  it('names what looks like a misspelt variable of ours', () => {
    const environment = { CHORUS_DATADIR: 'x', CHORUS_DATA_DIR: 'y', CHORUS_TEST_REDIS_URL: 'z', PATH: '' };
    expect(unknownVariables(environment)).toEqual(['CHORUS_DATADIR']);
  });
});

it('docs/configuration.md says what the schema says', () => {
  expect(readFileSync(join(projectRoot, 'docs', 'configuration.md'), 'utf8')).toBe(configurationPage());
});
