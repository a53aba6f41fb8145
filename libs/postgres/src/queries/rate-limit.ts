import type { Statement } from '../pools.js';

const micros = (interval: string): string => `floor(extract(epoch from ${interval}) * 1000000)::bigint`;
const SHARE = "$2::bigint * interval '1 microsecond'";
const PERIOD = "$3::bigint * interval '1 microsecond'";
/** Of the row that is locked: what another has taken meanwhile is in it. */
const AFTER = `greatest(r.full_at, clock_timestamp()) + ${SHARE}`;

/**
 * One request from a bucket. No row: the bucket is empty, and has just been made by another. $1 key, $2 share of one request and $3 period, in
 * microseconds.
 */
export const TAKE_FROM_BUCKET: Statement = {
  name: 'take_from_bucket',
  text: `
with taken as (
  insert into rate_limit as r (key, full_at) values ($1, clock_timestamp() + ${SHARE})
  on conflict (key) do update set full_at = ${AFTER} where ${AFTER} <= clock_timestamp() + ${PERIOD}
  returning true as admitted, greatest(0, ${micros('r.full_at - clock_timestamp()')}) as debt
)
select admitted, debt from taken
union all
select false, greatest(0, ${micros('full_at - clock_timestamp()')}) from rate_limit where key = $1 and not exists (select from taken)`,
};

/** Buckets that are full again are as good as none. */
export const DROP_FULL_BUCKETS: Statement = {
  name: 'drop_full_buckets',
  text: `delete from rate_limit where full_at < clock_timestamp()`,
};
