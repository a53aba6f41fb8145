/** States that nothing follows: COMPLETED, FAILED, CANCELED, REJECTED. */
export const TERMINAL = '(3, 4, 5, 7)';

/** Milliseconds since the epoch of a timestamp expression. */
export const millis = (expression: string): string => `floor(extract(epoch from ${expression}) * 1000)::bigint`;

/** A timestamp expression as it is written on the wire: UTC, milliseconds, `Z`. */
export const wireTime = (expression: string): string =>
  `to_char(${expression} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** A time from which on something is due. Columns of whole milliseconds round: what is due at once would often not be so until the next. */
export const dueAt = (expression: string): string => `date_trunc('milliseconds', ${expression})`;

/** The ProtoJSON name of a state number. */
export const stateName = (expression: string): string =>
  `(array['TASK_STATE_SUBMITTED','TASK_STATE_WORKING','TASK_STATE_COMPLETED','TASK_STATE_FAILED','TASK_STATE_CANCELED','TASK_STATE_INPUT_REQUIRED','TASK_STATE_REJECTED','TASK_STATE_AUTH_REQUIRED'])[${expression}]`;

/** TaskStatus out of its pieces (see NewEvent). */
export const statusText = (state: string, rest: string): string => `'{"state":"' || ${stateName(state)} || '"' || ${rest}`;

/** The frame of a status update that carries nothing but a state and a time. */
export const plainStatusFrame = (id: string, contextId: string, status: string): string =>
  `'{"statusUpdate":{"taskId":"' || ${id}::text || '","contextId":' || to_json(${contextId})::text || ',"status":' || ${status} || '}}'`;

/** A connection writes its own row of a counter, so that a busy scope does not serialize. */
export const SLOT = '(pg_backend_pid() % 16)::smallint';

/**
 * Adds a statement's changes to the counters: `changes` selects (scope_id, state, delta). Summed and in key order, so that
 * statements that touch the same counters do not deadlock.
 */
export const countChanges = (changes: string): string => `
  insert into task_count (scope_id, state, slot, n)
  select scope_id, state, ${SLOT}, sum(delta) from (${changes}) as change
  group by scope_id, state having sum(delta) <> 0 order by scope_id, state
  on conflict (scope_id, state, slot) do update set n = task_count.n + excluded.n`;

/** From one state to another, of rows that have (scope_id, old_state, new_state, was_listed, is_listed). */
export const movedCounts = (from: string): string => `
    select scope_id, old_state as state, -1 as delta from ${from} where was_listed and (old_state <> new_state or not is_listed)
    union all
    select scope_id, new_state, 1 from ${from} where is_listed and (old_state <> new_state or not was_listed)`;

/** A task's row with its later events in one column, as `taskFromRow` reads it. */
export const TASK_COLUMNS = `t.id, t.context_id, t.state, t.status, t.metadata, t.sequence, t.accepted, t.ended, t.listed,
  t.cancel_requested_at is not null as cancel_requested, t.lease_owner, t.lease_epoch, t.artifacts, t.history, t.snapshot_sequence,
  t.status_timestamp`;

/** One event as a JSON array, as `eventFromJson` reads it. */
export const EVENT_JSON = 'json_build_array(e.sequence, e.kind, e.state, e.turn, e.ends_turn, e.payload, e.message)';

/** The events that the snapshot of `t` lacks, ascending, as a JSON array in text. */
export const LATER_EVENTS = `(
    select json_agg(${EVENT_JSON} order by e.sequence)::text from task_event e
    where e.task_id = t.id and e.sequence > t.snapshot_sequence) as events`;
