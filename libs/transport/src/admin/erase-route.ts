import { countErasable, erasureOf, eraseData, isTaskId, permitAgent, tenantMeant, type Erasable, type ErasureStore } from '#core';
import { InvalidParamsError } from '#protocol';
import type { AdminCall, AdminRoute } from './admin-route.js';
import { fieldsOf } from './fields.js';

const FIELDS = { tenant: 'text', principal: 'text', agent: 'text', context: 'text', task: 'text', confirm: 'boolean' } as const;

/** `POST /admin/erase`: how much would be deleted; with `"confirm": true` it is. */
export const eraseRoute = (store: ErasureStore): AdminRoute => ({
  method: 'POST',
  path: 'erase',
  async answer({ caller, body, changes }: AdminCall) {
    const { confirm = false, ...filters } = fieldsOf(body, FIELDS);
    const { principal, agent, context, task } = filters;
    if (Object.values(filters).every((value) => value === undefined)) {
      const description = 'name whose data: tenant, principal, agent, context or task, any of them together';
      throw new InvalidParamsError([{ field: '', description }]);
    }
    if (task !== undefined && !isTaskId(task)) {
      throw new InvalidParamsError([{ field: 'task', description: 'is not the id of a task' }]);
    }
    permitAgent(caller, agent);
    const what: Erasable = {
      tenant: tenantMeant(caller, filters.tenant),
      ...(principal === undefined ? {} : { principal }),
      ...(agent === undefined ? {} : { agentId: agent }),
      ...(context === undefined ? {} : { contextId: context }),
      ...(task === undefined ? {} : { taskId: task }),
    };
    if (confirm) changes(erasureOf(what));
    const erased = confirm ? await eraseData(store, what) : await countErasable(store, what);
    return { erased: confirm, ...erased };
  },
});
