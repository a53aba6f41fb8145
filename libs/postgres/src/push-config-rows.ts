import type { KeptPush, PushConfigDraft } from '#core';
import type { RunHere } from './pools.js';
import { JUDGE_PUSH_CONFIG, PUT_PUSH_CONFIG } from './queries/push-configs.js';

interface JudgedRow {
  readonly others: number;
  readonly known: boolean;
  readonly receiver: string | null;
  readonly scheme: string | null;
  readonly secrets: Buffer | null;
}

export interface PushedTask {
  readonly taskId: string;
  readonly scope: number;
  /** The last event that a new configuration is not owed. */
  readonly cursor: number;
}

export type StoredPushConfigRow = { readonly open: boolean; readonly cursor: number };

/** Keeps a configuration of a task that this transaction has locked; undefined when the task has as many as it may have. */
export async function putPushConfig(
  run: RunHere,
  { taskId, scope, cursor }: PushedTask,
  draft: PushConfigDraft,
): Promise<StoredPushConfigRow | undefined> {
  const { id, url, receiver, everyEvent, protocolVersion } = draft;
  const [judged] = (await run<JudgedRow>(JUDGE_PUSH_CONFIG, [taskId, id])) as [JudgedRow];
  if (!judged.known && judged.others >= draft.most) return undefined;
  const { scheme, secrets } = draft.protect(judged.known ? keptIn(judged) : undefined);
  const values = [taskId, id, scope, protocolVersion, url, receiver, scheme ?? null, secrets ?? null, everyEvent, cursor];
  const [row] = await run<StoredPushConfigRow>(PUT_PUSH_CONFIG, values);
  return row as StoredPushConfigRow;
}

const keptIn = ({ receiver, scheme, secrets }: JudgedRow): KeptPush => ({
  receiver: receiver as string,
  ...(scheme === null ? {} : { scheme }),
  ...(secrets === null ? {} : { secrets }),
});
