import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';

interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: object;
}

/** An identity provider on this machine: discovery, keys, tokens, and faults on demand. */
export class TestProvider {
  readonly requests: string[] = [];
  keys: SigningKey[] = [];
  /** Answers of its own for a path. */
  readonly answers = new Map<string, { status: number; body: string }>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const path = request.url as string;
      this.requests.push(path);
      const { status, body } = this.answers.get(path) ?? { status: 200, body: JSON.stringify(this.#document(path)) };
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
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

  #document(path: string): object {
    if (path === '/keys') return { keys: this.keys.map(({ publicJwk }) => publicJwk) };
    return { issuer: this.issuer, jwks_uri: this.jwksUrl };
  }
}
