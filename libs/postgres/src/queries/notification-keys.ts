import type { Statement } from '../pools.js';

export const LIST_NOTIFICATION_KEYS: Statement = {
  name: 'list_notification_keys',
  text: `
select generation, public_key, private_key, (extract(epoch from created_at) * 1000)::float8 as created_at, signs_from <= clock_timestamp() as signs
from notification_key order by generation desc`,
};

/** $1 generation, $2 public key, $3 private key, sealed, $4 milliseconds until it signs */
export const ADD_NOTIFICATION_KEY: Statement = {
  name: 'add_notification_key',
  text: `
insert into notification_key (generation, public_key, private_key, created_at, signs_from)
select $1, $2, $3, at, at + $4 * interval '1 millisecond' from (select date_trunc('milliseconds', clock_timestamp()) as at) as now
on conflict (generation) do nothing returning generation`,
};

/** Keys that have a successor of that age. $1 milliseconds */
export const REMOVE_REPLACED_NOTIFICATION_KEYS: Statement = {
  name: 'remove_replaced_notification_keys',
  text: `
with gone as (
  delete from notification_key k where exists (
    select 1 from notification_key n where n.generation > k.generation and n.signs_from <= clock_timestamp() - $1 * interval '1 millisecond'
  ) returning 1
)
select count(*)::int as n from gone`,
};
