import type { Statement } from '../pools.js';
import { millis } from './fragments.js';

const NOW = millis('clock_timestamp()');
/** Of the row that is locked: what another has claimed meanwhile is in it. */
const others = (holder: string): string => `jsonb_each(p.holders) as o(holder, held)
    where o.holder <> ${holder} and (o.held ->> 1)::bigint > ${NOW}`;
const alive = (holder: string): string => `(select coalesce(jsonb_object_agg(o.holder, o.held), '{}') from ${others(holder)})`;
const entry = (places: string, ttl: string): string => `jsonb_build_array(${places}, ${NOW} + ${ttl})`;
const taken = (left: string): string => `$3::int + least($4::int, greatest(${left}, 0))`;

/**
 * Says how many places a holder has of one key, and takes as many of the wanted ones as all holders together leave. A row has every holder of its
 * key, so that the upsert counts them under one lock. $1 key, $2 holder, $3 held, $4 wanted, $5 most, $6 lifetime in milliseconds
 */
export const CLAIM_PLACES: Statement = {
  name: 'claim_places',
  text: `
insert into place as p (key, holders, expires_at)
values ($1, jsonb_build_object($2::text, ${entry(taken('$5::int - $3::int'), '$6::int')}), clock_timestamp() + $6::int * interval '1 millisecond')
on conflict (key) do update set
  holders = ${alive('$2::text')} || jsonb_build_object($2::text, ${entry(
    taken(`$5::int - $3::int - (select coalesce(sum((o.held ->> 0)::int), 0)::int from ${others('$2::text')})`),
    '$6::int',
  )}),
  expires_at = excluded.expires_at
returning (p.holders -> $2::text ->> 0)::int - $3::int as granted`,
};

/** The same for many keys, of which nothing is wanted; in their order, so that two holders do not wait for each other. $1 holder, $2 keys, $3 held, $4 lifetime in milliseconds */
export const RENEW_PLACES: Statement = {
  name: 'renew_places',
  text: `
insert into place as p (key, holders, expires_at)
select i.key, jsonb_build_object($1::text, ${entry('i.held', '$4::int')}), clock_timestamp() + $4::int * interval '1 millisecond'
from unnest($2::text[], $3::int[]) as i(key, held) order by i.key
on conflict (key) do update set holders = ${alive('$1::text')} || excluded.holders, expires_at = excluded.expires_at`,
};

/** Rows of which no holder says anything any more. */
export const DROP_EXPIRED_PLACES: Statement = {
  name: 'drop_expired_places',
  text: `delete from place where expires_at < clock_timestamp()`,
};
