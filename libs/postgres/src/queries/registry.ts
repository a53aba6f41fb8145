import type { Statement } from '../pools.js';

/** What a worker hosts; `updated_at` moves only when the definition does. $1 ids, $2 definitions */
export const ANNOUNCE_AGENTS: Statement = {
  name: 'announce_agents',
  text: `
insert into agent as a (id, definition, updated_at)
select id, definition, clock_timestamp() from unnest($1::text[], $2::text[]) as i(id, definition) order by id
on conflict (id) do update set definition = excluded.definition, updated_at = excluded.updated_at
  where a.definition <> excluded.definition`,
};

/** $1 worker, $2 agent ids */
export const ANNOUNCE_WORKER: Statement = {
  name: 'announce_worker',
  text: `
insert into worker as w (id, agents, started_at, last_seen_at) values ($1, $2, clock_timestamp(), clock_timestamp())
on conflict (id) do update set agents = excluded.agents, last_seen_at = excluded.last_seen_at`,
};

/** No row when the worker is not announced. $1 worker */
export const SEEN_WORKER: Statement = {
  name: 'seen_worker',
  text: 'update worker set last_seen_at = clock_timestamp() where id = $1 returning id',
};

/** The worker, and those that have not been seen for a day. $1 worker */
export const REMOVE_WORKER: Statement = {
  name: 'remove_worker',
  text: `delete from worker where id = $1 or last_seen_at < clock_timestamp() - interval '1 day'`,
};

/** All agents, or one. $1 id or null, $2 how long a worker counts after it was last seen, in milliseconds */
export const FIND_AGENTS: Statement = {
  name: 'find_agents',
  text: `
select a.id, a.definition, floor(extract(epoch from a.updated_at) * 1000)::bigint as updated_at,
  (select count(*)::int from worker w
    where a.id = any(w.agents) and w.last_seen_at > clock_timestamp() - $2 * interval '1 millisecond') as workers
from agent a where $1::text is null or a.id = $1 order by a.id`,
};
