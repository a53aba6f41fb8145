import { guardedProbe, probe, test } from '../evidence.mjs';
import { row } from './row.mjs';

const access = (title) => test('test/e2e/access.spec.ts', title);

/** Who may do what. */
export const ACCESS = [
  row(
    'With `CHORUS_AUTH`, every operation of every binding asks for a credential',
    '7.4',
    guardedProbe('auth.required'),
    access('nobody comes in'),
  ),
  row('The refusal says which credentials are wanted', '7.4', guardedProbe('auth.challenge')),
  row(
    'The card declares the schemes that are enforced, each of which works alone',
    '4.5',
    probe('card.security'),
    access('the owner is let in'),
  ),
  row(
    'API keys: scopes, agents, expiry, revocation',
    '7',
    access('without its scope'),
    access('another agent'),
    access('revoked'),
    test('libs/auth/src/api-keys.spec.ts'),
  ),
  row('Tokens of an identity provider (OIDC)', '7', test('libs/auth/src/jwt-tokens.spec.ts')),
  row('Lists have the caller’s tasks alone', '13.1', access('a list has')),
  row(
    'What a caller may not see is TaskNotFoundError, as what never was',
    '3.3.2',
    test('test/e2e/lists.spec.ts', 'I7'),
    access('told of in every byte as one that there is not'),
  ),
  row('No secret is in the database, the logs or a list', '13', access('no secret')),
  row('AUTH_REQUIRED within a task', '7.6.1', test('test/e2e/streams.spec.ts', 'stays open over AUTH_REQUIRED')),
];
