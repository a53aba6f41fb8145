import {
  isTaskId,
  OWN_OPERATIONS,
  permitAgent,
  redeliverDead,
  shownPushAttempt,
  shownPushConfig,
  tenantMeant,
  type Caller,
  type PushLedger,
  type PushOwner,
} from '#core';
import { InvalidParamsError } from '#protocol';
import type { AdminCall, AdminRoute } from './admin-route.js';
import { fieldsOf, queryFieldsOf } from './fields.js';

const OWNER = { tenant: 'text', agent: 'text' } as const;
const LIST = { ...OWNER, task: 'text', dead: 'boolean', limit: 'number' } as const;
const ATTEMPTS = { ...OWNER, config: 'text', limit: 'number' } as const;
const REDELIVER = { ...OWNER, task: 'text', config: 'text', from: 'number', dead: 'boolean', receiver: 'text' } as const;

const LIMIT = 100;
const MOST = 1000;

/** Below `/admin/push`: what became of push notifications, and having them delivered again. */
export const pushRoutes = (ledger: PushLedger): readonly AdminRoute[] => [
  {
    method: 'GET',
    path: 'push',
    async answer({ caller, query }: AdminCall) {
      const { task, dead = false, limit = LIMIT, ...named } = queryFieldsOf(query, LIST);
      const of = { ...ownerMeant(caller, named), ...(task === undefined ? {} : { taskId: task }) };
      const configs = await ledger.configs({ ...of, dead, limit: Math.min(limit, MOST) });
      return { configs: configs.map(shownPushConfig) };
    },
  },
  {
    method: 'GET',
    path: 'push/tasks/:taskId/attempts',
    async answer({ caller, parameters, query }: AdminCall) {
      const { config, limit = LIMIT, ...named } = queryFieldsOf(query, ATTEMPTS);
      const target = { ...ownerMeant(caller, named), taskId: parameters['taskId'] as string, ...configOf(config) };
      return { attempts: (await ledger.deliveries(target, Math.min(limit, MOST))).map(shownPushAttempt) };
    },
  },
  {
    method: 'POST',
    path: 'push/redeliver',
    async answer({ caller, body, changes }: AdminCall) {
      const { task, config, from, dead = false, receiver, ...named } = fieldsOf(body, REDELIVER);
      const owner = ownerMeant(caller, named);
      if (dead) {
        requireNone({ task, config, from }, 'is of one task; all that was given up is meant by dead');
        changes({ operation: OWN_OPERATIONS.redeliver, ...owner, subject: 'all that was given up' });
        return { configs: await redeliverDead(ledger, { ...owner, ...(receiver === undefined ? {} : { receiver }) }) };
      }
      requireNone({ receiver }, 'goes with dead');
      if (task === undefined || !isTaskId(task)) {
        throw new InvalidParamsError([{ field: 'task', description: 'must be the id of a task, or dead must be true' }]);
      }
      changes({ operation: OWN_OPERATIONS.redeliver, ...owner, taskId: task });
      return { configs: await ledger.redeliver({ ...owner, taskId: task, ...configOf(config) }, from) };
    },
  },
];

function ownerMeant(caller: Caller, { tenant, agent }: { readonly tenant?: string; readonly agent?: string }): PushOwner {
  permitAgent(caller, agent);
  return { tenant: tenantMeant(caller, tenant), ...(agent === undefined ? {} : { agentId: agent }) };
}

const configOf = (config: string | undefined): { configId?: string } => (config === undefined ? {} : { configId: config });

function requireNone(fields: Readonly<Record<string, unknown>>, description: string): void {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (given.length > 0) throw new InvalidParamsError(given.map(([field]) => ({ field, description })));
}
