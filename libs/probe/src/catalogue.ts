import type { Check } from './check.js';
import { AGREEMENT_CHECKS } from './checks/agreement.js';
import { CAPABILITY_CHECKS } from './checks/capabilities.js';
import { CARD_HTTP_CHECKS } from './checks/card-http.js';
import { CARD_CHECKS } from './checks/card.js';
import { HTTP_JSON_CHECKS } from './checks/http-json.js';
import { JSON_RPC_CHECKS } from './checks/json-rpc.js';
import { LIST_CHECKS } from './checks/lists.js';
import { PUSH_CHECKS } from './checks/push.js';
import { REFUSAL_CHECKS } from './checks/refusals.js';
import { SENDING_CHECKS } from './checks/sending.js';
import { STREAM_CHECKS } from './checks/streams.js';
import { SUBSCRIPTION_CHECKS } from './checks/subscriptions.js';
import { TASK_CHECKS } from './checks/tasks.js';
import { VERSION_CHECKS } from './checks/version.js';

export interface CheckGroup {
  readonly title: string;
  readonly checks: readonly Check[];
}

/** Every check, in the order in which they run. */
export const CATALOGUE: readonly CheckGroup[] = [
  { title: 'Agent card', checks: [...CARD_CHECKS, ...CARD_HTTP_CHECKS] },
  { title: 'Version negotiation', checks: VERSION_CHECKS },
  { title: 'JSON-RPC', checks: JSON_RPC_CHECKS },
  { title: 'HTTP+JSON', checks: HTTP_JSON_CHECKS },
  { title: 'Refusals', checks: REFUSAL_CHECKS },
  { title: 'Capabilities, extensions, credentials', checks: CAPABILITY_CHECKS },
  { title: 'Sending', checks: SENDING_CHECKS },
  { title: 'Tasks', checks: TASK_CHECKS },
  { title: 'Streams', checks: STREAM_CHECKS },
  { title: 'Subscriptions', checks: SUBSCRIPTION_CHECKS },
  { title: 'Lists', checks: LIST_CHECKS },
  { title: 'Push notifications', checks: PUSH_CHECKS },
  { title: 'Agreement', checks: AGREEMENT_CHECKS },
];
