import { isTaskId, redeliverDead, type LedgerEntry, type PushConfigState, type PushLedger, type PushOwner } from '#core';
import { ConfigError } from '#platform';
import { PostgresPushLedger } from '#postgres';
import { audited, OWN_OPERATIONS, type Change } from '../audit/audited.js';
import { withDatabase } from '../with-database.js';

/** As they come from the command line. */
export interface OwnerOptions {
  readonly tenant?: string;
  readonly agent?: string;
}

export interface ListOptions extends OwnerOptions {
  readonly task?: string;
  readonly dead?: boolean;
  readonly limit: string;
}

export interface DeliveriesOptions extends OwnerOptions {
  readonly config?: string;
  readonly limit: string;
}

export interface RedeliverOptions extends OwnerOptions {
  readonly config?: string;
  readonly from?: string;
  readonly dead?: boolean;
  readonly receiver?: string;
}

/** @throws ConfigError for options that mean nothing, or as `withDatabase` */
export async function listConfigs({ task, dead, limit, ...options }: ListOptions): Promise<readonly PushConfigState[]> {
  const query = { ...ownerOf(options), ...(task === undefined ? {} : { taskId: taskOf(task) }), dead: dead ?? false };
  const most = numberOf('--limit', limit);
  return withLedger((ledger) => ledger.configs({ ...query, limit: most }));
}

/** @throws as `listConfigs` */
export async function listAttempts(task: string, options: DeliveriesOptions): Promise<readonly LedgerEntry[]> {
  const target = { ...ownerOf(options), taskId: taskOf(task), ...configOf(options) };
  const most = numberOf('--limit', options.limit);
  return withLedger((ledger) => ledger.deliveries(target, most));
}

/** Resolves with how many configurations are due now. @throws as `listConfigs` */
export async function redeliver(task: string | undefined, options: RedeliverOptions): Promise<number> {
  const { dead, receiver, from } = options;
  const owner = ownerOf(options);
  if (dead) {
    if (task !== undefined || options.config !== undefined || from !== undefined) {
      throw new ConfigError('--dead is for all that was given up, and goes with no task, --config or --from');
    }
    const meant = { ...owner, ...(receiver === undefined ? {} : { receiver }) };
    return changeLedger({ ...owner, subject: 'all that was given up' }, (ledger) => redeliverDead(ledger, meant));
  }
  if (task === undefined) throw new ConfigError('Say which: the id of a task, or --dead for all that was given up');
  if (receiver !== undefined) throw new ConfigError('--receiver goes with --dead');
  const target = { ...owner, taskId: taskOf(task), ...configOf(options) };
  const first = from === undefined ? undefined : numberOf('--from', from);
  return changeLedger({ ...owner, taskId: target.taskId }, (ledger) => ledger.redeliver(target, first));
}

const withLedger = <T>(use: (ledger: PushLedger) => Promise<T>): Promise<T> =>
  withDatabase((pools) => use(new PostgresPushLedger(pools)));

const changeLedger = <T>(about: Omit<Change, 'operation'>, use: (ledger: PushLedger) => Promise<T>): Promise<T> =>
  withDatabase((pools) =>
    audited(pools, { operation: OWN_OPERATIONS.redeliver, ...about }, () => use(new PostgresPushLedger(pools))),
  );

const ownerOf = ({ tenant, agent }: OwnerOptions): PushOwner => ({
  ...(tenant === undefined ? {} : { tenant }),
  ...(agent === undefined ? {} : { agentId: agent }),
});

const configOf = ({ config }: { readonly config?: string }): { configId?: string } =>
  config === undefined ? {} : { configId: config };

function taskOf(text: string): string {
  if (!isTaskId(text)) throw new ConfigError(`${text} is not the id of a task`);
  return text;
}

function numberOf(option: string, text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new ConfigError(`${option} ${text} is not a whole number from 1`);
  return Number(text);
}
