import { kit, probe, test } from '../evidence.mjs';
import { row } from './row.mjs';

const conversation = (title) => test('test/e2e/conversation.spec.ts', title);

/** The states of a task (section 4.1.3), and what is told of them. */
export const STATES = [
  row(
    '`TASK_STATE_SUBMITTED`: also for as long as there is no worker',
    '4.1.3',
    test('test/chaos/restarts.spec.ts', 'stays SUBMITTED'),
  ),
  row(
    '`TASK_STATE_WORKING`',
    '4.1.3',
    conversation('WORKING, INPUT_REQUIRED, WORKING, COMPLETED'),
    probe('subscribe.first-event'),
  ),
  row('`TASK_STATE_COMPLETED`', '4.1.3', kit('CORE-STREAM-003'), probe('stream.last-event')),
  row(
    '`TASK_STATE_FAILED`: the agent’s exception stays in the log, its id is told',
    '4.1.3',
    conversation('ends in TASK_STATE_FAILED'),
    test('libs/core/src/execution/task-runner.spec.ts', 'fails the task when the agent throws'),
  ),
  row('`TASK_STATE_CANCELED`', '4.1.3', probe('cancel.running-task'), test('test/e2e/cancel.spec.ts', 'stops a running agent')),
  row('`TASK_STATE_REJECTED`', '4.1.3', conversation('ends in TASK_STATE_REJECTED')),
  row('`TASK_STATE_INPUT_REQUIRED`', '4.1.3', probe('multi-turn.asks'), conversation('returns at INPUT_REQUIRED')),
  row(
    '`TASK_STATE_AUTH_REQUIRED`',
    '7.6.1',
    conversation('AUTH_REQUIRED'),
    test('test/e2e/streams.spec.ts', 'stays open over AUTH_REQUIRED'),
  ),
  row('A message in place of a task', '3.1.1', kit('CORE-STREAM-002'), conversation('leaves no task behind')),
  row(
    'Tasks, messages, parts, artifacts have the form of the proto',
    '4.1',
    kit('DM-TASK-001'),
    kit('DM-MSG-001'),
    kit('DM-PART-001'),
    kit('DM-ART-001'),
    probe('task.get'),
  ),
  row(
    'ProtoJSON: names, enumerations, times in UTC; unknown fields are ignored',
    '5.5',
    kit('DM-SERIAL-001'),
    kit('DM-SERIAL-002'),
    kit('DM-SERIAL-003'),
    kit('DM-SERIAL-005'),
    probe('task.timestamp'),
  ),
  row('Nothing is recorded after a terminal state', '4.1.3', test('test/e2e/cancel.spec.ts', 'I3')),
];
