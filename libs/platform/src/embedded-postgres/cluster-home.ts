import { createHash, randomBytes } from 'node:crypto';
import { accessSync, chownSync, constants, existsSync, lstatSync, mkdirSync, realpathSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StartError } from '../start-error.js';
import { canReach, serverAccount, type Account } from './account.js';

export interface ClusterHome {
  /** Holds `data`, the password and the log; its real path, owned by the account. */
  readonly folder: string;
  readonly account: Account | undefined;
  /** Where copies of the programs go, reachable for the account. */
  readonly cache: string;
}

const SYSTEM_FOLDERS = ['/var/lib/chorus', '/var/tmp/chorus'];

/**
 * The home of the Postgres cluster of a data folder, made when there is none: `<dataDir>/postgres`, or, when the account
 * cannot get there (root's checkout under a 0700 home), a folder of the system with a link to it in that place.
 * @throws StartError when what is there cannot be used
 */
export function clusterHome(dataDir: string): ClusterHome {
  const place = join(dataDir, 'postgres');
  const there = lstatSync(place, { throwIfNoEntry: false }) !== undefined;
  if (there && !existsSync(place)) {
    throw new StartError(
      `${place} leads to data that is gone or not yours: remove it to begin anew, or give another folder with --data`,
    );
  }
  const existing = there ? realpathSync(place) : undefined;
  const account = serverAccount(existing);
  if (existing === undefined) {
    const folder =
      account === undefined || canReach(realpathSync(dataDir), account) ? own(place, account) : elsewhere(place, account);
    return home(folder, dataDir, account);
  }
  // A mounted volume, empty and root's.
  if (account !== undefined && statSync(existing).uid === 0) own(existing, account);
  try {
    accessSync(existing, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch {
    throw new StartError(`${existing} belongs to another user: start as that one, or give another folder with --data`);
  }
  return home(existing, dataDir, account);
}

function home(folder: string, dataDir: string, account: Account | undefined): ClusterHome {
  return { folder: realpathSync(folder), account, cache: account === undefined ? join(dataDir, 'programs') : systemFolder() };
}

function own(folder: string, account: Account | undefined): string {
  mkdirSync(folder, { mode: 0o700, recursive: true });
  if (account !== undefined) chownSync(folder, account.uid, account.gid);
  return folder;
}

function elsewhere(place: string, account: Account): string {
  // Random too: whoever deletes the data folder, and the link with it, begins anew and does not meet the old data again.
  const name = `${createHash('sha256').update(place).digest('hex').slice(0, 12)}-${randomBytes(4).toString('hex')}`;
  const folder = own(join(systemFolder(), name), account);
  symlinkSync(folder, place);
  return folder;
}

function systemFolder(): string {
  for (const folder of [...SYSTEM_FOLDERS, join(tmpdir(), 'chorus')]) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o755 });
      accessSync(folder, constants.W_OK);
      return folder;
    } catch {
      continue;
    }
  }
  throw new StartError('No folder for the data of Postgres can be written to: set DATABASE_URL to a Postgres of your own');
}
