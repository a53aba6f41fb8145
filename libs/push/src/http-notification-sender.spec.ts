import { createHash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { SecretBox, SILENT, StoreUnavailableError, type Notification, type SendResult } from '#core';
import { GuardedFetch, OutboundPolicy } from '#outbound';
import { InMemoryDatabase, InMemoryNotificationKeyStore } from '#testing';
import { Receiver } from '../../outbound/src/receiver.spec-support.js';
import { HttpNotificationSender } from './http-notification-sender.js';
import { NotificationKeys } from './notification-keys.js';
import { NotificationSigner } from './notification-signer.js';
import { PublishedKeys } from './published-keys.js';

const TASK = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
const BODY = '{"statusUpdate":{"text":"é 🎉"}}';
const SECRETS = { token: 'the-token', credentials: 'the-credentials' };

describe('HttpNotificationSender', () => {
  const box = new SecretBox({ key: randomBytes(32) });
  const database = new InMemoryDatabase();
  const store = new InMemoryNotificationKeyStore(database);
  const signer = new NotificationSigner(new NotificationKeys(store, box, SILENT), 'https://host.example');
  let answer: (response: ServerResponse, request: IncomingMessage) => void;
  let got: { headers: IncomingHttpHeaders; method: string | undefined; body: string }[];
  let receiver: Receiver;
  let fetch: GuardedFetch;
  let sender: HttpNotificationSender;
  let url: string;

  beforeEach(async () => {
    got = [];
    answer = (response) => response.end();
    receiver = await Receiver.start((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        got.push({ headers: request.headers, method: request.method, body: Buffer.concat(chunks).toString() });
        answer(response, request);
      });
    });
    url = `http://127.0.0.1:${receiver.port}/hook?of=us`;
    fetch = new GuardedFetch(new OutboundPolicy('127.0.0.1'));
    sender = new HttpNotificationSender({ fetch, box, signer }, 500);
  });
  afterEach(async () => {
    await fetch.close();
    await receiver.close();
  });

  const notification = (more: Partial<Notification> = {}): Notification => ({
    ...{ taskId: TASK, configId: 'c', id: `${TASK}.c.4`, url, receiver: new URL(url).origin },
    ...{ contentType: 'application/a2a+json', body: BODY, ...more },
  });
  const send = (more: Partial<Notification> = {}): Promise<SendResult> =>
    sender.send(notification(more), new AbortController().signal);
  const signedBy = async () => createLocalJWKSet({ keys: await new PublishedKeys(store).list() } as unknown as JSONWebKeySet);

  it('sends the body as it is, with what the configuration says', async () => {
    const secrets = box.seal(TASK, 'c', SECRETS);
    expect(await send({ scheme: 'Bearer', secrets })).toEqual({ outcome: 'delivered', httpStatus: 200 });
    const [{ headers, ...request }] = got as [(typeof got)[0]];
    expect(request).toEqual({ method: 'POST', body: BODY });
    expect(headers).toMatchObject({
      'content-type': 'application/a2a+json',
      authorization: 'Bearer the-credentials',
      'x-a2a-notification-token': 'the-token',
      'x-a2a-notification-id': `${TASK}.c.4`,
      traceparent: expect.stringMatching(/^00-0190a1b2c3d47e5f8a9b0c1d2e3f4a5b-[0-9a-f]{16}-00$/),
    });
  });

  it.each([
    ['no secrets', {}, []],
    ['a token alone', { secrets: { token: 't' } }, ['x-a2a-notification-token']],
    ['credentials without a scheme', { secrets: { credentials: 'c' } }, []],
    ['a scheme without credentials', { scheme: 'Bearer' }, []],
  ])(
    'shows what is there and nothing else: %s',
    async (_, { secrets, ...more }: { secrets?: object; scheme?: string }, shown) => {
      await send({ ...more, ...(secrets ? { secrets: box.seal(TASK, 'c', secrets) } : {}) });
      const found = ['authorization', 'x-a2a-notification-token'].filter((name) => name in got[0]!.headers);
      expect(found).toEqual(shown);
    },
  );

  it('signs body, receiver, id and time, and each attempt anew', async () => {
    await send();
    await send();
    const signatures = got.map(({ headers }) => headers['x-a2a-notification-signature'] as string);
    expect(signatures[0]).not.toBe(signatures[1]);
    const { payload, protectedHeader } = await jwtVerify(signatures[0]!, await signedBy(), {
      ...{ audience: url, issuer: 'https://host.example', maxTokenAge: '5 minutes', algorithms: ['ES256'] },
    });
    expect(payload).toMatchObject({
      ...{ jti: `${TASK}.c.4`, taskId: TASK },
      request_body_sha256: createHash('sha256').update(got[0]!.body).digest('hex'),
    });
    expect((payload.exp as number) - (payload.iat as number)).toBe(300);
    expect(protectedHeader).toMatchObject({ typ: 'JWT', jku: 'https://host.example/.well-known/jwks.json' });
    await expect(jwtVerify(signatures[0]!, await signedBy(), { audience: 'http://else.example' })).rejects.toThrow(/aud/);
  });

  it('names no issuer when it has no address', async () => {
    const parts = { fetch, box, signer: new NotificationSigner(new NotificationKeys(store, box, SILENT)) };
    await new HttpNotificationSender(parts, 500).send(notification(), new AbortController().signal);
    const jwt = got[0]!.headers['x-a2a-notification-signature'] as string;
    const { payload, protectedHeader } = await jwtVerify(jwt, await signedBy());
    expect([payload.iss, protectedHeader['jku']]).toEqual([undefined, undefined]);
  });

  it.each([200, 201, 202, 204, 299])('is delivered with %i', async (status) => {
    answer = (response) => response.writeHead(status).end();
    expect(await send()).toEqual({ outcome: 'delivered', httpStatus: status });
  });

  it.each([
    [302, false],
    [307, false],
    [400, false],
    [401, false],
    [404, false],
    [410, false],
    [408, true],
    [429, true],
    [500, true],
    [503, true],
  ])('is not delivered with %i; it tells of the whole receiver: %s', async (status, ill) => {
    answer = (response) => response.writeHead(status, { location: url }).end('secret words');
    const result = await send();
    expect(result).toMatchObject({
      outcome: 'failed',
      httpStatus: status,
      ill,
      error: expect.stringContaining(`answered ${status}`),
    });
    expect(JSON.stringify(result)).not.toContain('secret');
    expect(receiver.requests).toBe(1);
  });

  it('tells how long the receiver asks to wait', async () => {
    answer = (response) => response.writeHead(503, { 'retry-after': '7' }).end();
    expect(await send()).toMatchObject({ retryAfterMs: 7000 });
  });

  it('does not wait for an answer that comes slowly, or never ends', async () => {
    answer = (response) => response.writeHead(200).write('x');
    expect(await send()).toEqual({ outcome: 'delivered', httpStatus: 200 });
    await receiver.left();
  });

  it('uses a connection again', async () => {
    answer = (response) => response.end('thanks');
    for (let n = 0; n < 5; n += 1) await send();
    expect(receiver.connections).toBeLessThanOrEqual(2);
  });

  it('gives up after its time', async () => {
    answer = () => undefined;
    expect(await send()).toEqual({ outcome: 'failed', error: 'The host did not answer within 500 ms', ill: true });
  });

  it('cannot reach a host that is not there', async () => {
    await receiver.close();
    expect(await send()).toMatchObject({ outcome: 'failed', ill: true, error: expect.stringMatching(/^The host/) });
  });

  it.each(['http://169.254.169.254/', 'http://[::ffff:10.0.0.1]/', 'http://localhost.localdomain/', 'ftp://a.example/'])(
    'dials nothing that is not allowed: %s',
    async (refused) => {
      expect(await send({ url: refused })).toMatchObject({ outcome: 'refused', error: expect.stringContaining('not allowed') });
    },
  );

  it('fails, for this configuration alone, when its secrets cannot be read or sent', async () => {
    const sealed = new SecretBox({ key: randomBytes(32) }).seal(TASK, 'c', SECRETS);
    expect(await send({ secrets: sealed })).toMatchObject({
      outcome: 'failed',
      ill: false,
      error: expect.stringContaining('sealed'),
    });
    const split = box.seal(TASK, 'c', { token: 'a\r\nX-Else: b' });
    expect(await send({ secrets: split })).toMatchObject({
      outcome: 'failed',
      ill: false,
      error: expect.stringContaining('header'),
    });
    expect(receiver.requests).toBe(0);
  });

  it('ends with its signal', async () => {
    answer = () => undefined;
    const abort = new AbortController();
    const sending = sender.send(notification(), abort.signal);
    const reason = new Error('enough');
    abort.abort(reason);
    await expect(sending).rejects.toBe(reason);
  });

  it('counts no attempt when there is no key to sign with, and none can be made', async () => {
    const away = new InMemoryDatabase();
    away.available = false;
    const keys = new NotificationKeys(new InMemoryNotificationKeyStore(away), box, SILENT);
    const unsigned = new HttpNotificationSender({ fetch, box, signer: new NotificationSigner(keys) }, 500);
    await expect(unsigned.send(notification(), new AbortController().signal)).rejects.toThrow(StoreUnavailableError);
    expect(receiver.requests).toBe(0);
  });
});
