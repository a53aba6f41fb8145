import type { Statement } from '../pools.js';

/** The scope's number; no row when nobody has used it yet. */
export const FIND_SCOPE: Statement = {
  name: 'find_scope',
  text: 'select id from task_scope where tenant = $1 and owner = $2 and agent_id = $3',
};

/** Makes the scope; another process may have been first, then it is read in a new statement. */
export const ADD_SCOPE: Statement = {
  name: 'add_scope',
  text: 'insert into task_scope (tenant, owner, agent_id) values ($1, $2, $3) on conflict do nothing returning id',
};
