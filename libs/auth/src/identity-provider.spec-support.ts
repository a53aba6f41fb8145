import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';

interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: object;
}

/** The one client that may ask for tokens itself. */
export const CLIENT = { id: 'robot', secret: 's3cret' } as const;

/** An identity provider on this machine: discovery, keys, tokens for a client and for a device, and faults on demand. */
export class TestProvider {
  readonly requests: string[] = [];
  keys: SigningKey[] = [];
  /** Answers of its own for a path. */
  readonly answers = new Map<string, { status: number; body: string }>();
  readonly #server: Server;
  /** By the code that a person was shown: who approved it. */
  readonly #approved = new Map<string, string>();

  private constructor() {
    this.#server = createServer((request, response) => {
      const path = request.url as string;
      this.requests.push(path);
      void this.#answer(request, path).then(({ status, body }) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      });
    });
  }

  static async start(): Promise<TestProvider> {
    const provider = new TestProvider();
    await new Promise<void>((resolve) => provider.#server.listen(0, '127.0.0.1', resolve));
    await provider.addKey('k1');
    return provider;
  }

  get issuer(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get tokenUrl(): string {
    return `${this.issuer}/token`;
  }

  get deviceAuthorizationUrl(): string {
    return `${this.issuer}/device`;
  }

  /** What a person does who was sent to the page that asks for the code. */
  approve(userCode: string, subject: string): void {
    this.#approved.set(userCode, subject);
  }

  get jwksUrl(): string {
    return `${this.issuer}/keys`;
  }

  async addKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const key = { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
    this.keys.push(key);
    return key;
  }

  /** A token of its first key that is valid for an hour from `now`, but for what the claims say. */
  token(claims: JWTPayload, { now = Date.now(), key = this.keys[0] as SigningKey } = {}): Promise<string> {
    const seconds = Math.floor(now / 1000);
    const payload = {
      iss: this.issuer,
      aud: 'chorus',
      sub: 'ada',
      scope: 'tasks:read',
      iat: seconds,
      exp: seconds + 3600,
      ...claims,
    };
    return new SignJWT(payload).setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'JWT' }).sign(key.privateKey);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #answer(request: IncomingMessage, path: string): Promise<{ status: number; body: string }> {
    const fault = this.answers.get(path);
    if (fault !== undefined) return fault;
    if (request.method !== 'POST') return { status: 200, body: JSON.stringify(this.#document(path)) };
    const fields = new URLSearchParams(await text(request));
    const answer = path === '/device' ? this.#deviceCode(fields) : await this.#token(fields, request.headers.authorization);
    return { status: 'error' in answer ? 400 : 200, body: JSON.stringify(answer) };
  }

  /** RFC 8628, 3.2: what the device was given says for what, since this provider keeps nothing. */
  #deviceCode(fields: URLSearchParams): object {
    const userCode = `WXYZ-${this.requests.length}`;
    const deviceCode = JSON.stringify({ userCode, scope: fields.get('scope') });
    return {
      device_code: deviceCode,
      user_code: userCode,
      verification_uri: `${this.issuer}/enter`,
      expires_in: 600,
      interval: 0,
    };
  }

  async #token(fields: URLSearchParams, authorization = ''): Promise<object> {
    const bearing = async (sub: string, scope: string | null): Promise<object> => ({
      access_token: await this.token({ sub, scope: scope ?? '' }),
      token_type: 'Bearer',
      expires_in: 3600,
    });
    switch (fields.get('grant_type')) {
      case 'client_credentials': {
        const isClient = authorization === `Basic ${Buffer.from(`${CLIENT.id}:${CLIENT.secret}`).toString('base64')}`;
        return isClient ? bearing(CLIENT.id, fields.get('scope')) : { error: 'invalid_client' };
      }
      case 'urn:ietf:params:oauth:grant-type:device_code': {
        const { userCode, scope } = JSON.parse(fields.get('device_code') ?? '{}') as { userCode: string; scope: string };
        const subject = this.#approved.get(userCode);
        return subject === undefined ? { error: 'authorization_pending' } : bearing(subject, scope);
      }
      default:
        return { error: 'unsupported_grant_type' };
    }
  }

  #document(path: string): object {
    if (path === '/keys') return { keys: this.keys.map(({ publicJwk }) => publicJwk) };
    return {
      issuer: this.issuer,
      jwks_uri: this.jwksUrl,
      token_endpoint: this.tokenUrl,
      device_authorization_endpoint: this.deviceAuthorizationUrl,
    };
  }
}
