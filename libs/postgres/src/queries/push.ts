import type { Statement } from '../pools.js';
import { dueAt } from './fragments.js';

const OPEN = `not c.finished and c.dead_at is null`;
const LEASED = `c.lease_owner is not null and c.lease_expires_at >= clock_timestamp()`;

/**
 * Leases configurations to which something is owed: the least recently due of each receiver first, no more of one than it has room
 * for. Those that wait are answered too, without what belongs to a claim.
 *
 * $1 owner, $2 lease in milliseconds, $3 limit, $4 room of a receiver, $5 receivers with less, $6 their rooms, $7 most that wait,
 * $8 tasks
 */
const claim = (name: string, which: string): Statement => ({
  name,
  text: `
with owed as materialized (
  select c.task_id, c.id, c.receiver, ${LEASED} as leased, coalesce(b.room, $4::int) as room,
    row_number() over (partition by c.receiver, ${LEASED} order by c.due_at, c.task_id, c.id) as place
  from push_config c join task t on t.id = c.task_id
  left join unnest($5::text[], $6::int[]) as b(receiver, room) on b.receiver = c.receiver
  where ${which} and ${OPEN} and t.listed and t.sequence > c.cursor
),
chosen as materialized (select task_id, id from owed where not leased and place <= room order by place, task_id, id limit $3),
locked as materialized (
  select c.task_id, c.id from push_config c join chosen k on k.task_id = c.task_id and k.id = c.id
  where ${OPEN} and not (${LEASED}) order by c.task_id, c.id for no key update of c skip locked
),
taken as (
  update push_config c set lease_owner = $1, lease_epoch = c.lease_epoch + 1,
    lease_expires_at = clock_timestamp() + $2 * interval '1 millisecond'
  from locked l where c.task_id = l.task_id and c.id = l.id returning c.*
)
select o.task_id, o.id, o.receiver, o.leased, k.lease_epoch, k.url, k.scheme, k.secrets, k.every_event, k.protocol_version, k.cursor, k.failures
from owed o left join taken k on k.task_id = o.task_id and k.id = o.id
order by k.id is null, o.place limit $3 + $7`,
});

/** Of tasks that were hinted. One that has failed keeps its pause all the same. */
export const CLAIM_HINTED_PUSHES = claim(
  'claim_hinted_pushes',
  'c.task_id = any($8::uuid[]) and (c.failures = 0 or c.due_at <= clock_timestamp())',
);

/** Whatever is due. $8 is null */
export const CLAIM_DUE_PUSHES = claim(
  'claim_due_pushes',
  `c.due_at <= statement_timestamp() and not (${LEASED}) and $8::uuid[] is null`,
);

/** Events after a cursor, many logs in one statement. $1 tasks, $2 sequences, $3 limits */
export const READ_PUSH_LOGS: Statement = {
  name: 'read_push_logs',
  text: `
select i.n::int as n, t.id is not null as found, t.context_id, t.metadata, e.sequence, e.kind, e.state, e.turn, e.ends_turn, e.payload, e.message
from unnest($1::uuid[], $2::int[], $3::int[]) with ordinality as i(id, after, most, n)
left join task t on t.id = i.id
left join lateral (
  select * from task_event where task_id = t.id and sequence > i.after order by sequence limit i.most
) e on true
order by i.n, e.sequence`,
};

/** Renews leases that are still held; answers which. $1 tasks, $2 ids, $3 owners, $4 epochs, $5 lease in milliseconds */
export const RENEW_PUSHES: Statement = {
  name: 'renew_pushes',
  text: `
with locked as materialized (
  select c.task_id, c.id from push_config c
  join unnest($1::uuid[], $2::text[], $3::text[], $4::int[]) as i(task_id, id, owner, epoch)
    on c.task_id = i.task_id and c.id = i.id and c.lease_owner = i.owner and c.lease_epoch = i.epoch
  order by c.task_id, c.id for no key update of c
)
update push_config c set lease_expires_at = clock_timestamp() + $5 * interval '1 millisecond'
from locked l where c.task_id = l.task_id and c.id = l.id returning c.task_id, c.id`,
};

/**
 * How attempts ended, many configurations in one statement: cursor, back-off, ledger and lease, where owner and epoch are still those
 * of the row.
 *
 * $1 tasks, $2 ids, $3 owners, $4 epochs, $5 cursors, $6 last events looked at, $7 finished, $8 leases in milliseconds or null to end
 * them, $9 pauses in milliseconds, $10 ages after which one is given up; of the attempt, or null: $11 sequences, $12 numbers,
 * $13 outcomes, $14 HTTP statuses, $15 errors, $16 durations
 */
export const SETTLE_PUSHES: Statement = {
  name: 'settle_pushes',
  text: `
with item as (
  select * from unnest($1::uuid[], $2::text[], $3::text[], $4::int[], $5::int[], $6::int[], $7::boolean[], $8::int[], $9::int[], $10::bigint[],
                       $11::int[], $12::int[], $13::text[], $14::smallint[], $15::text[], $16::int[])
    as i(task_id, id, owner, epoch, cursor, seen, finished, lease_ms, due_ms, age_ms, sequence, attempt, outcome, http_status, error, duration_ms)
),
locked as materialized (
  select c.task_id, c.id, c.lease_owner, c.lease_epoch, c.failures, c.failing_since
  from push_config c where c.task_id = any($1::uuid[]) order by c.task_id, c.id for no key update
),
held as materialized (
  select i.*, clock_timestamp() as at, i.outcome is not null and i.outcome <> 'delivered' as failed, l.failures, l.failing_since as since
  from item i join locked l on l.task_id = i.task_id and l.id = i.id and l.lease_owner = i.owner and l.lease_epoch = i.epoch
),
settled as (
  update push_config c set
    cursor = h.cursor, finished = h.finished,
    failures = case when h.failed then h.failures + 1 when h.outcome is null then h.failures else 0 end,
    failing_since = case when h.failed then coalesce(h.since, h.at) when h.outcome is null then h.since end,
    dead_at = case when h.failed and h.since < h.at - h.age_ms * interval '1 millisecond' then h.at end,
    due_at = case when h.lease_ms is null then ${dueAt("h.at + h.due_ms * interval '1 millisecond'")} else c.due_at end,
    lease_owner = case when h.lease_ms is null then null else h.owner end,
    lease_epoch = c.lease_epoch + (h.lease_ms is null)::int,
    lease_expires_at = h.at + h.lease_ms * interval '1 millisecond'
  from held h where c.task_id = h.task_id and c.id = h.id
),
ledger as (
  insert into push_delivery (task_id, config_id, sequence, attempt, outcome, http_status, error, started_at, duration_ms)
  select task_id, id, sequence, attempt, outcome, http_status, error, at - duration_ms * interval '1 millisecond', duration_ms
  from held where outcome is not null order by task_id, id
)
select h.task_id, h.id, h.failed and h.since < h.at - h.age_ms * interval '1 millisecond' as dead, coalesce(t.sequence > h.seen, false) as more
from held h left join task t on t.id = h.task_id`,
};
