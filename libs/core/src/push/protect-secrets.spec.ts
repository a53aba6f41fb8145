import { randomBytes } from 'node:crypto';
import { InvalidParamsError, type TaskPushNotificationConfig } from '#protocol';
import type { KeptPush } from '../ports/push-config-store.js';
import { protectSecrets } from './protect-secrets.js';
import { SecretBox, type PushSecrets } from './sealed-secrets.js';

const RECEIVER = 'https://hooks.example';
const key = randomBytes(32);
const box = new SecretBox({ key });
const place = { taskId: 't', id: 'c', receiver: RECEIVER, prefix: '' };

type Given = Pick<TaskPushNotificationConfig, 'token' | 'authentication'>;

const keptOf = (scheme: string | undefined, secrets?: PushSecrets, receiver = RECEIVER): KeptPush => ({
  receiver,
  ...(scheme === undefined ? {} : { scheme }),
  ...(secrets ? { secrets: box.seal('t', 'c', secrets) } : {}),
});

/** Scheme and secrets in the clear, as they would be kept. */
function kept(given: Given, before: KeptPush | undefined, more: Partial<typeof place> = {}) {
  const { scheme, secrets } = protectSecrets(box, given, { ...place, ...more }, before);
  return { scheme, secrets: secrets && box.open('t', 'c', secrets) };
}

const faultsOf = (work: () => unknown): (string | undefined)[] => {
  try {
    work();
    return [];
  } catch (error) {
    if (!(error instanceof InvalidParamsError)) throw error;
    return (error.fieldViolations ?? []).map(({ field }) => field);
  }
};

describe('the secrets of a push configuration', () => {
  const BOTH = { token: 'tok', credentials: 'cred' };

  it('are sealed for their task and configuration', () => {
    const { secrets } = protectSecrets(box, { token: 'tok' }, place, undefined);
    expect(Buffer.from(secrets ?? []).toString('latin1')).not.toContain('tok');
    expect(() => box.open('t', 'another', secrets as Uint8Array)).toThrow();
  });

  it.each<[string, Given, KeptPush | undefined, string | undefined, PushSecrets | undefined]>([
    ['none at all', {}, undefined, undefined, undefined],
    ['a scheme alone', { authentication: { scheme: 'Bearer' } }, undefined, 'Bearer', undefined],
    ['new ones', { token: 'tok', authentication: { scheme: 'Bearer', credentials: 'cred' } }, undefined, 'Bearer', BOTH],
    ['what an answer shows, written back', { authentication: { scheme: 'Bearer' } }, keptOf('Bearer', BOTH), 'Bearer', BOTH],
    ['the scheme in other letters', { authentication: { scheme: 'bearer' } }, keptOf('Bearer', BOTH), 'bearer', BOTH],
    [
      'a new token',
      { token: 'new', authentication: { scheme: 'Bearer' } },
      keptOf('Bearer', BOTH),
      'Bearer',
      { token: 'new', credentials: 'cred' },
    ],
    [
      'new credentials',
      { authentication: { scheme: 'Bearer', credentials: 'new' } },
      keptOf('Bearer', BOTH),
      'Bearer',
      { token: 'tok', credentials: 'new' },
    ],
    ['another scheme', { authentication: { scheme: 'Basic' } }, keptOf('Bearer', BOTH), 'Basic', { token: 'tok' }],
    ['no authentication any more', {}, keptOf('Bearer', BOTH), undefined, { token: 'tok' }],
    ['a scheme where there were credentials of none', { authentication: { scheme: 'A' } }, keptOf(undefined), 'A', undefined],
  ])('%s', (_, given, before, scheme, secrets) => {
    expect(kept(given, before)).toEqual({ scheme, secrets });
  });

  it('are not sent to another receiver: whoever may change a configuration could read them there', () => {
    const before = keptOf('Bearer', BOTH);
    const receiver = 'https://elsewhere.example';
    const authentication = { scheme: 'Bearer' };
    expect(faultsOf(() => kept({ authentication }, before, { receiver }))).toEqual(['token', 'authentication.credentials']);
    expect(faultsOf(() => kept({ token: 'new', authentication }, before, { receiver, prefix: 'x.' }))).toEqual([
      'x.authentication.credentials',
    ]);
    const given = { token: 'new', authentication: { ...authentication, credentials: 'new' } };
    expect(kept(given, before, { receiver }).secrets).toEqual({ token: 'new', credentials: 'new' });
    expect(kept({ authentication }, keptOf('Bearer'), { receiver }).secrets).toBeUndefined();
  });

  it('that no key opens any more have to be given again', () => {
    const lost = new SecretBox({ key: randomBytes(32) }).seal('t', 'c', BOTH);
    const before = { receiver: RECEIVER, scheme: 'Bearer', secrets: lost };
    const authentication = { scheme: 'Bearer' };
    expect(faultsOf(() => kept({ authentication }, before))).toEqual(['token', 'authentication.credentials']);
    const given = { token: 'new', authentication: { ...authentication, credentials: 'new' } };
    expect(kept(given, before).secrets).toEqual({ token: 'new', credentials: 'new' });
  });

  it('are sealed with the key of today when they are kept', () => {
    const next = new SecretBox({ key: randomBytes(32), previous: key });
    const { secrets } = protectSecrets(next, { authentication: { scheme: 'Bearer' } }, place, keptOf('Bearer', BOTH));
    expect(next.open('t', 'c', secrets as Uint8Array)).toEqual(BOTH);
    expect(() => box.open('t', 'c', secrets as Uint8Array)).toThrow();
  });
});
