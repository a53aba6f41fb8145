import { choice, integer, optional, variable } from '../values.js';

const group = 'Audit log';

export const AUDIT = {
  audit: optional('CHORUS_AUDIT', choice('off', 'changes', 'all'), {
    group,
    description:
      'What stands in the audit log: nothing; what changes something and what is refused; or every call. Without it: `changes` where there is CHORUS_AUTH, else nothing but the `chorus` commands that change something.',
  }),
  auditDays: variable('AUDIT_DAYS', integer(1, 36_500, 'days'), {
    group,
    default: '90',
    description: 'How long its entries are kept.',
  }),
} as const;
