import type { LedgerEntry, PushConfigState } from '#core';
import { dateOf, table } from '../table.js';

const CONFIGS = ['TASK', 'CONFIG', 'TENANT', 'AGENT', 'RECEIVER', 'DELIVERED', 'STATE'];
const ATTEMPTS = ['STARTED', 'CONFIG', 'EVENT', 'ATTEMPT', 'TOOK', 'OUTCOME'];

/** Configurations as lines for a person. */
export const configTable = (configs: readonly PushConfigState[]): string[] =>
  table(
    CONFIGS,
    configs.map((config) => [
      ...[config.taskId, config.configId, config.tenant === '' ? '-' : config.tenant, config.agentId, config.receiver],
      ...[`${config.cursor}/${config.sequence}`, stateOf(config)],
    ]),
  );

/** Attempts as lines for a person. */
export const attemptTable = (attempts: readonly LedgerEntry[]): string[] =>
  table(
    ATTEMPTS,
    attempts.map(({ startedAt, configId, sequence, attempt, durationMs, outcome, httpStatus, error }) => [
      ...[new Date(startedAt).toISOString(), configId, String(sequence), String(attempt), `${durationMs} ms`],
      error ?? `${outcome} (${httpStatus})`,
    ]),
  );

function stateOf({ state, failures, failingSince, deadAt }: PushConfigState): string {
  if (deadAt !== undefined) return `given up ${dateOf(deadAt)} after ${failures} failures`;
  return failingSince === undefined ? state : `fails since ${dateOf(failingSince)} (${failures})`;
}
