import { integer, optional, rate, rateOrOff, variable } from '../values.js';

const group = 'Limits of a caller';
const places = integer(1, 1_000_000);

export const CALLER_LIMITS = {
  principalRateLimit: optional('PRINCIPAL_RATE_LIMIT', rate, {
    group,
    description:
      'Most requests of one principal, over all replicas and bindings: `600:60` is a bucket of 600 that fills again within 60 s.',
  }),
  tenantRateLimit: optional('TENANT_RATE_LIMIT', rate, {
    group,
    description: 'The same for all principals of a tenant together.',
  }),
  principalStreamLimit: optional('PRINCIPAL_STREAM_LIMIT', places, {
    group,
    description: 'Most streams that one principal may have open at a time, over all replicas and bindings.',
  }),
  tenantStreamLimit: optional('TENANT_STREAM_LIMIT', places, {
    group,
    description: 'The same for all principals of a tenant together.',
  }),
  authFailureLimit: variable('AUTH_FAILURE_LIMIT', rateOrOff, {
    group,
    default: '60:60',
    description:
      'How many credentials from one address may be wrong before its next ones are refused unseen. An IPv6 address counts as its /64. `off` counts none.',
  }),
} as const;
