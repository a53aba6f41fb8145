import { integer, milliseconds, optional, variable } from '../values.js';

const group = 'Times';

export const TIMES = {
  leaseMs: variable('LEASE_MS', milliseconds(500), {
    group,
    default: '9000',
    description: 'How long a worker owns a task after its last sign of life. At least twice HEARTBEAT_MS.',
  }),
  heartbeatMs: variable('HEARTBEAT_MS', milliseconds(100), {
    group,
    default: '3000',
    description: 'How often a worker renews its leases and hears of cancels.',
  }),
  sweepMs: variable('SWEEP_MS', milliseconds(100), {
    group,
    default: '2000',
    description: 'How often a worker looks for what was lost: expired leases, forgotten work, overdue cancels.',
  }),
  outageMs: variable('OUTAGE_MS', milliseconds(1000), {
    group,
    default: '60000',
    description: 'How long turns go on computing while the database does not answer. At least LEASE_MS.',
  }),
  cancelGraceMs: variable('CANCEL_GRACE_MS', milliseconds(0), {
    group,
    default: '6000',
    description: 'How long a canceled agent may take to stop before the worker, or any other, records CANCELED itself.',
  }),
  cancelAnswerMs: variable('CANCEL_ANSWER_MS', milliseconds(0), {
    group,
    default: '5000',
    description:
      'How long CancelTask waits for the agent to stop before the API records CANCELED itself. At most CANCEL_GRACE_MS.',
  }),
  drainMs: variable('DRAIN_MS', milliseconds(0), {
    group,
    default: '25000',
    description:
      'How long running turns may go on after SIGTERM, and the longest that the API waits for its last answers to be taken.',
  }),
  stopMs: variable('STOP_MS', milliseconds(0), {
    group,
    default: '2000',
    description: 'How long an aborted turn has, after the drain time, before it is handed back all the same.',
  }),
  turnTimeoutMs: variable('TURN_TIMEOUT_MS', milliseconds(100), {
    group,
    default: '3600000',
    description: 'How long one turn may take, unless the agent says otherwise; then the task is FAILED.',
  }),
  silenceTimeoutMs: variable('SILENCE_TIMEOUT_MS', milliseconds(100), {
    group,
    default: '600000',
    description: 'How long a turn may go without an event, unless the agent says otherwise; then the task is FAILED.',
  }),
  retentionDays: optional('RETENTION_DAYS', integer(1, 36_500, 'days'), {
    group,
    description: 'Tasks that ended longer ago are deleted. Without it: none.',
  }),
} as const;
