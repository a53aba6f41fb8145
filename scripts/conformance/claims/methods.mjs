import { kit, probe, test } from '../evidence.mjs';
import { row } from './row.mjs';

/** The eleven operations. */
export const METHODS = [
  row('`SendMessage`', '3.1.1', kit('CORE-SEND-001'), probe('send.answers'), probe('send.blocks')),
  row('`SendStreamingMessage`', '3.1.2', kit('CORE-STREAM-001'), probe('stream.opens'), probe('stream.adds-up')),
  row('`GetTask`', '3.1.3', kit('CORE-GET-001'), probe('task.get'), probe('task.get-agrees')),
  row('`ListTasks`', '3.1.4', kit('CORE-LIST-002'), probe('list.answers'), probe('list.pages')),
  row('`CancelTask`', '3.1.5', kit('CORE-CANCEL-001'), probe('cancel.running-task')),
  row('`SubscribeToTask`', '3.1.6', kit('STREAM-SUB-001'), probe('subscribe.first-event'), probe('subscribe.ends')),
  row('`CreateTaskPushNotificationConfig`', '3.1.7', probe('push.create')),
  row('`GetTaskPushNotificationConfig`', '3.1.8', probe('push.get')),
  row('`ListTaskPushNotificationConfigs`', '3.1.9', probe('push.list')),
  row('`DeleteTaskPushNotificationConfig`', '3.1.10', probe('push.delete')),
  row('`GetExtendedAgentCard`: refused, as undeclared', '3.1.11', probe('capabilities.extended-card'), kit('CORE-CAP-003')),
];

/** What an operation does beyond answering. */
export const OPERATIONS = [
  row(
    'Push notifications are StreamResponses with the credentials of their configuration, one that comes with a message too',
    '4.3.3',
    probe('push.delivers'),
    probe('push.authenticates'),
  ),
  row('No push configuration is made for a private address', '13.2', probe('push.private-addresses')),
  row(
    'A send waits for the end of the turn, or answers at once with `returnImmediately`',
    '3.2.2',
    kit('CORE-EXECUTION-MODE-001'),
    kit('CORE-EXECUTION-MODE-002'),
    probe('send.returns-immediately'),
  ),
  row(
    'The blocking answer equals GetTask, on any replica',
    '3.1.1',
    test('test/e2e/conversation.spec.ts', 'the blocking answer'),
  ),
  row('A message to a finished task is refused', '3.1.1', kit('CORE-SEND-002'), probe('send.terminal-task')),
  row(
    'A part of a media type that the agent does not take is refused',
    '3.1.1',
    probe('send.content-type'),
    test('test/e2e/content.spec.ts'),
    kit('CORE-SEND-003'),
  ),
  row('An answer goes on with its task; its context is inferred', '3.4.3', kit('CORE-MULTI-005'), probe('multi-turn.continues')),
  row('A contextId that is not the task’s is refused', '3.4.3', kit('CORE-MULTI-006'), probe('multi-turn.context-mismatch')),
  row(
    'Ids of tasks are made here; contextIds are kept',
    '3.4',
    kit('CORE-MULTI-003'),
    kit('CORE-MULTI-001a'),
    probe('send.new-task-ids'),
    probe('send.keeps-context-id'),
  ),
  row(
    '`historyLength`: absent, 0, n',
    '3.2.4',
    kit('CORE-HIST-001'),
    kit('CORE-HIST-002'),
    kit('CORE-HIST-005'),
    probe('task.history-length'),
    probe('task.no-history'),
  ),
  row(
    'Lists: order, filters, exact totals, pages that neither lose nor double',
    '3.1.4',
    kit('CORE-LIST-003'),
    kit('CORE-LIST-004'),
    probe('list.order'),
    probe('list.status'),
    probe('list.context'),
    probe('list.timestamp'),
    probe('list.total-size'),
    test('test/e2e/lists.spec.ts'),
  ),
  row(
    'Lists leave artifacts out unless asked',
    '3.1.4',
    kit('CORE-LIST-005'),
    probe('list.no-artifacts'),
    probe('list.artifacts'),
  ),
  row(
    'A page token that is none, or of other filters, is refused',
    '3.1.4',
    probe('list.bad-token'),
    probe('list.foreign-token'),
  ),
  row(
    'A cancel is idempotent, and ends in a terminal state though the agent ignores it or its process dies',
    '3.1.5',
    test('test/e2e/cancel.spec.ts'),
    probe('cancel.asking-task'),
    kit('CORE-CANCEL-002'),
  ),
  row('1,000 races of cancel, message and end have one outcome each', '3.1.5', test('test/e2e/cancel-races.spec.ts')),
  row(
    'Tasks and conversations survive a restart of every process',
    '3.1.3',
    test('test/e2e/conversation.spec.ts', 'persists over a restart'),
    test('test/chaos/restarts.spec.ts'),
  ),
];
