import { ACCESS } from './variables/access.js';
import { ADDRESSES } from './variables/addresses.js';
import { AUDIT } from './variables/audit.js';
import { CALLER_LIMITS } from './variables/caller-limits.js';
import { GRPC } from './variables/grpc.js';
import { LOGS } from './variables/logs.js';
import { PROTOCOL } from './variables/protocol.js';
import { PUSH } from './variables/push.js';
import { REQUEST_LIMITS } from './variables/request-limits.js';
import { SIGNED_CARDS } from './variables/signed-cards.js';
import { STORAGE } from './variables/storage.js';
import { TIMES } from './variables/times.js';
import { WORKER } from './variables/worker.js';

/**
 * Every variable that Chorus reads, by the name that it has in `Config`.
 *
 * Names that other programs share keep their usual form (PORT, DATABASE_URL). CHORUS_ marks what is particular to this
 * installation: a misspelt one is reported at boot. WORKER_ concerns worker processes only; a time ends in its unit.
 */
export const VARIABLES = {
  ...ADDRESSES,
  ...ACCESS,
  ...AUDIT,
  ...GRPC,
  ...PROTOCOL,
  ...SIGNED_CARDS,
  ...PUSH,
  ...CALLER_LIMITS,
  ...REQUEST_LIMITS,
  ...STORAGE,
  ...WORKER,
  ...TIMES,
  ...LOGS,
} as const;
