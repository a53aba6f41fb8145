import type { Statement } from '../pools.js';
import { TERMINAL, countChanges, movedCounts, statusText } from './fragments.js';

/**
 * The events of running turns, many tasks in one statement, one row of input for each task.
 *
 * Under the row's lock it judges the lease (owner and epoch), the append's number (the next one is recorded, the last one is
 * answered as a duplicate, any other is refused) and the state to record: COMPLETED over a pending message ends the turn only,
 * a turn that would end non-terminal with a cancel requested becomes CANCELED. A duplicate is looked for first: the answer that got
 * lost may have been that of the end, after which the lease is gone and the task perhaps terminal. The event that ends a turn, `ended + 1`, the new state and the
 * release of the lease are this one statement.
 *
 * Tasks: $1 ids, $2 owners, $3 epochs, $4 numbers, $5 turns, $6 attempts, $7 ends the turn, $8 becomes a task, $9 number of events,
 * $10 last state or null, $11 its status rest, $12 its timestamp, $13 snapshot base, $14 artifacts, $15 history, $16 metadata,
 * $17 lease in milliseconds.
 * Events: $18 task, $19 position from 1, $20 kind, $21 state or null, $22 head, $23 status rest or null, $24 tail.
 */
const append = ({ item = '', values = '', set = '' } = {}): string => `
with item as (
  select * from unnest($1::uuid[], $2::text[], $3::int[], $4::bigint[], $5::int[], $6::int[], $7::boolean[], $8::boolean[], $9::int[],
                       $10::smallint[], $11::text[], $12::bigint[], $13::int[], $14::text[], $15::text[], $16::text[]${values})
    as i(id, owner, epoch, number, turn, attempt, ends, lists, n, want, rest, ms, snap_base, artifacts, history, metadata${item})
),
locked as materialized (
  select id, scope_id, state, sequence, accepted, ended, append_no, append_epoch, append_first, append_state, lease_owner, lease_epoch,
    cancel_requested_at, cancel_metadata, listed, pushes
  from task where id = any($1::uuid[]) order by id for no key update
),
judged as materialized (
  select i.*, l.scope_id, l.state as old_state, l.sequence as base, l.listed as was_listed, l.listed or i.lists as is_listed,
    l.append_first, l.append_state, l.cancel_requested_at is not null as canceling, l.cancel_metadata,
    l.accepted - l.ended as waiting, l.lease_epoch, l.pushes, clock_timestamp() as at,
    case
      when l.append_no = i.number and l.append_epoch = i.epoch then 'duplicate'
      when l.state in ${TERMINAL} or l.lease_owner is distinct from i.owner or l.lease_epoch <> i.epoch or l.append_no + 1 <> i.number
        then 'fenced'
      else 'appended'
    end as outcome,
    (case
      when i.want is null then l.state
      when i.ends and l.cancel_requested_at is not null and (i.want not in ${TERMINAL} or i.want = 3 and l.accepted - l.ended > 1) then 5
      when i.ends and i.want = 3 and l.accepted - l.ended > 1 then 2
      else i.want
    end)::smallint as new_state
  from item i join locked l on l.id = i.id
),
taken as materialized (select * from judged where outcome = 'appended'),
rows as (
  update task t set
    sequence = t.sequence + k.n,
    state = k.new_state,
    status = case when k.rest is null then t.status else ${statusText('k.new_state', 'k.rest')} end,
    status_timestamp = coalesce(k.ms, t.status_timestamp),
    metadata = coalesce(k.metadata, t.metadata),
    listed = k.is_listed,
    append_no = k.number, append_epoch = k.epoch, append_first = k.base + 1, append_state = k.new_state,
    ended = t.ended + k.ends::int,
    inbox = case when k.ends then t.inbox[2:] else t.inbox end,
    attempt = case when k.ends then 0 else t.attempt end,
    lease_owner = case when k.ends then null else t.lease_owner end,
    lease_epoch = t.lease_epoch + k.ends::int,
    lease_expires_at = case when k.ends then null else k.at + $17 * interval '1 millisecond' end,
    hinted_at = case when k.ends then k.at else t.hinted_at end,
    hints = case when k.ends then 0 else t.hints end,
    artifacts = case when k.snap_base = k.base then k.artifacts else t.artifacts end,
    history = case when k.snap_base = k.base then k.history else t.history end,
    snapshot_sequence = case when k.snap_base = k.base then k.base + k.n else t.snapshot_sequence end${set}
  from taken k where t.id = k.id
),
events as (
  insert into task_event (task_id, sequence, kind, state, turn, ends_turn, attempt, recorded_at, payload)
  select k.id, k.base + e.position, e.kind,
    case when e.position = k.n then k.new_state else coalesce(e.state, k.old_state) end,
    k.turn, k.ends and e.position = k.n, k.attempt, k.at,
    case when e.rest is null then e.head
      else e.head || ${statusText('case when e.position = k.n then k.new_state else e.state end', 'e.rest')} || e.tail end
  from unnest($18::uuid[], $19::int[], $20::smallint[], $21::smallint[], $22::text[], $23::text[], $24::text[])
    as e(id, position, kind, state, head, rest, tail)
  join taken k on k.id = e.id
  order by k.id, e.position
),
counts as (${countChanges(movedCounts('taken'))})
select id, outcome,
  case when outcome = 'appended' then base + 1 else append_first end as first,
  case when outcome = 'appended' then new_state else append_state end as final_state,
  canceling, cancel_metadata,
  case when outcome = 'appended' then waiting - ends::int else waiting end as pending,
  case when outcome = 'appended' then lease_epoch + ends::int else lease_epoch end as epoch, pushes
from judged`;

export const APPEND: Statement = { name: 'append', text: append() };

/** For a batch in which some turn has a checkpoint: $25 their JSON, or null. A turn that ends forgets its own. */
export const APPEND_CHECKPOINTS: Statement = {
  name: 'append_checkpoints',
  text: append({
    item: ', checkpoint',
    values: ', $25::text[]',
    set: `,
    checkpoint = case when k.ends then null else coalesce(k.checkpoint, t.checkpoint) end,
    checkpoint_turn = case when k.ends then null when k.checkpoint is null then t.checkpoint_turn else k.turn end`,
  }),
};
