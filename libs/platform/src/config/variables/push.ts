import { integer, milliseconds, optional, secretKey, text, variable } from '../values.js';

const group = 'Push notifications';

export const PUSH = {
  encryptionKey: optional('CHORUS_ENCRYPTION_KEY', secretKey, {
    group,
    description:
      "Key that receivers' tokens and credentials are encrypted with in the database; the same for every process. `npm start` makes one, in its data folder. Without it there are no push notifications.",
  }),
  previousEncryptionKey: optional('CHORUS_ENCRYPTION_PREVIOUS_KEY', secretKey, {
    group,
    description: 'The key before it, while something may still be encrypted with it.',
  }),
  outboundAllow: optional('CHORUS_OUTBOUND_ALLOW', text, {
    group,
    description:
      'What may be called beyond public hosts at ports 80, 443, 8080 and 8443: comma-separated names, `*.` and a domain, addresses, CIDR blocks, each with a port if only that one is meant (`[fd00::/8]:8080`); `*:3000` opens a port of public hosts.',
  }),
  maxPushConfigs: variable('MAX_PUSH_CONFIGS', integer(1, 1000), {
    group,
    default: '32',
    description: 'Most configurations of a task.',
  }),
  pushTimeoutMs: variable('PUSH_TIMEOUT_MS', milliseconds(100), {
    group,
    default: '15000',
    description: 'How long a receiver may take to answer a push notification, from the look-up of its name to its status.',
  }),
  pushMaxAgeMs: variable('PUSH_MAX_AGE_MS', milliseconds(1000), {
    group,
    default: '86400000',
    description:
      'A configuration to which nothing could be delivered for so long is given up, and waits for `chorus push redeliver`.',
  }),
  pushLedgerDays: variable('PUSH_LEDGER_DAYS', integer(1, 36_500, 'days'), {
    group,
    default: '7',
    description: 'How long the attempts to deliver are kept; those of a deleted task go with it.',
  }),
} as const;
