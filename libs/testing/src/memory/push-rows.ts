import type { LedgerEntry, NotificationKey } from '#core';
import type { InMemoryDatabase } from './in-memory-database.js';

/** A push configuration's row. Times are milliseconds since the epoch. */
export interface PushConfigRow {
  readonly taskId: string;
  readonly id: string;
  protocolVersion: '1.0' | '0.3';
  url: string;
  receiver: string;
  scheme?: string;
  secrets?: Uint8Array;
  everyEvent: boolean;
  readonly createdAt: number;
  cursor: number;
  finished: boolean;
  dueAt: number;
  failures: number;
  failingSince?: number;
  deadAt?: number;
  lease?: { readonly owner: string; expiresAt: number };
  epoch: number;
}

export type PushDeliveryRow = LedgerEntry;

export type NotificationKeyRow = Omit<NotificationKey, 'signs'> & { readonly signsFrom: number };

export const pushConfigKey = (taskId: string, id: string): string => `${taskId} ${id}`;

/** What goes with a task. */
export function forgetPushes(database: InMemoryDatabase, taskId: string): void {
  for (const [key, row] of database.pushConfigs) if (row.taskId === taskId) database.pushConfigs.delete(key);
  database.pushDeliveries = database.pushDeliveries.filter((row) => row.taskId !== taskId);
}
