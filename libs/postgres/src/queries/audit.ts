import type { Statement } from '../pools.js';
import { millis } from './fragments.js';

/**
 * $1 times in milliseconds, $2 sources, $3 operations, $4 outcomes, $5 tenants, $6 principals, $7 credentials, $8 agents, $9 tasks,
 * $10 contexts, $11 subjects, $12 addresses, $13 requests, $14 counts
 */
export const RECORD_AUDIT: Statement = {
  name: 'record_audit',
  text: `
insert into audit_event (at, source, operation, outcome, tenant, principal, credential_id, agent_id, task_id, context_id, subject, address,
  request_id, count)
select to_timestamp(at / 1000.0), source, operation, outcome, tenant, principal, credential_id, agent_id, task_id, context_id, subject, address,
  request_id, count
from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::uuid[], $10::text[],
            $11::text[], $12::text[], $13::text[], $14::int[])
  with ordinality as e(at, source, operation, outcome, tenant, principal, credential_id, agent_id, task_id, context_id, subject, address,
                       request_id, count, n)
order by n`,
};

const timeOf = (parameter: string): string => `to_timestamp(${parameter}::float8 / 1000)`;

/** A statement for each question: one for all of them would have a plan for none. */
const entries = (name: string, which: string): Statement => ({
  name,
  text: `
select id, ${millis('at')} as at, source, operation, outcome, tenant, principal, credential_id, agent_id, task_id, context_id, subject, address,
  request_id, count
from audit_event
where ${which} and ($2::bigint is null or id < $2)
  and ($3::text is null or principal = $3) and ($4::text is null or agent_id = $4) and ($5::text is null or operation = $5)
  and ($6::text is null or outcome = $6) and ($7::float8 is null or at >= ${timeOf('$7')}) and ($8::float8 is null or at < ${timeOf('$8')})
order by id desc limit $1`,
});

/**
 * $1 limit; the rest or null: $2 before this id, $3 principal, $4 agent, $5 operation, $6 outcome, $7 since and $8 until in
 * milliseconds
 */
export const AUDIT_ENTRIES = entries('audit_entries', 'true');

/** Parameters as above, and $9 tenant */
export const AUDIT_ENTRIES_OF_TENANT = entries('audit_entries_of_tenant', 'tenant = $9');

/** Parameters as above, and $9 task, $10 tenant or null */
export const AUDIT_ENTRIES_OF_TASK = entries('audit_entries_of_task', 'task_id = $9 and ($10::text is null or tenant = $10)');
