import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { StartError } from '../start-error.js';
import { isAlive } from './processes.js';

interface Owner {
  readonly pid: number;
  readonly port: number;
  readonly token: string;
}

/** A data folder that this process has to itself. */
export interface DataDirectory {
  readonly path: string;
  release(): Promise<void>;
}

const ANSWER_TIMEOUT_MS = 1000;

/**
 * Takes a data folder, made when there is none. The owner answers on a port that its lock file names: a file alone would
 * outlive a killed owner, and process ids are used again.
 * @throws StartError when a living process has it, or it cannot be made
 */
export async function lockDataDirectory(folder: string): Promise<DataDirectory> {
  const path = make(folder);
  const file = join(path, 'owner.json');
  const token = randomBytes(16).toString('hex');
  const server = await answerWith(token);
  const mine = JSON.stringify({ pid: process.pid, port: (server.address() as AddressInfo).port, token });
  for (let tries = 0; !take(file, mine); tries += 1) {
    const owner = readOwner(file);
    if (tries === 5 || (owner !== undefined && (await lives(owner)))) {
      server.close();
      const who = owner ? ` (process ${owner.pid})` : '';
      throw new StartError(`Another Chorus${who} uses ${path}: end it first, or give this one another folder with --data`);
    }
    rmSync(file, { force: true });
  }
  return {
    path,
    async release() {
      if (readOwner(file)?.token === token) rmSync(file, { force: true });
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function make(folder: string): string {
  try {
    // Root's Postgres runs as another account, which has to pass through.
    mkdirSync(folder, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    return realpathSync(folder);
  } catch (error) {
    throw new StartError(`The data folder ${folder} cannot be made (${(error as Error).message}): give another one with --data`);
  }
}

function take(file: string, content: string): boolean {
  try {
    writeFileSync(file, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new StartError(`${file} cannot be written (${(error as Error).message}): give another folder with --data`);
  }
}

function readOwner(file: string): Owner | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Owner;
  } catch {
    return undefined;
  }
}

function answerWith(token: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(token);
  });
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port: 0, host: '127.0.0.1' }, () => resolve(server));
  });
}

/** The owner answers with its token; one that takes the connection and says nothing is stopped, not gone. */
function lives(owner: Owner): Promise<boolean> {
  return new Promise((resolve) => {
    let said = '';
    const socket = connect({ port: owner.port, host: '127.0.0.1' });
    const finish = (alive: boolean): void => {
      socket.destroy();
      resolve(alive);
    };
    socket.setTimeout(ANSWER_TIMEOUT_MS, () => finish(said === '' && isAlive(owner.pid)));
    socket.on('data', (chunk) => (said += chunk.toString()));
    socket.on('end', () => finish(said === owner.token));
    socket.on('error', () => finish(false));
  });
}
