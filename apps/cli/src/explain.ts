/** Errors whose message is written for whoever started the command. */
const WRITTEN_FOR_PEOPLE = new Set([
  'ConfigError',
  'StartError',
  'AllowEntryError',
  'BadAgentError',
  'NewerDatabaseError',
  'PendingMigrationError',
  'BrokenMigrationError',
]);

const DATABASE_FAULTS: Readonly<Record<string, string>> = {
  '28P01': 'refuses the user or the password: correct DATABASE_URL',
  '28000': 'refuses this user: correct DATABASE_URL, or its pg_hba.conf',
  '3D000': 'has no such database: create it, or correct DATABASE_URL',
  '42501': 'does not let this user create tables: give it the rights, or correct DATABASE_URL',
  '53300': 'has no connection left: raise max_connections, or end other clients',
  '57P03': 'is starting or stopping: try again',
};

const NETWORK_FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing answers there',
  ECONNRESET: 'it closed the connection',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name cannot be looked up now',
  ETIMEDOUT: 'it does not answer',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
};

/** pg has no code for it. */
const HUNG_UP =
  'What answers at DATABASE_URL hangs up, as no Postgres does: correct DATABASE_URL, or see what stands in front of it';

interface Fault {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly address?: unknown;
  /** That was looked up, and not found. */
  readonly hostname?: unknown;
  readonly port?: unknown;
  /** What chooses the port, when it is not that of the HTTP server. */
  readonly setting?: string;
}

/** What keeps a command from running: one line that says what, and how to mend it, or the whole error when nobody foresaw it. */
export function explain(error: unknown): string {
  const causes = causesOf(error);
  for (const cause of causes) {
    const known = explainOne(cause);
    if (known !== undefined) return known;
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function explainOne(error: Error): string | undefined {
  if (WRITTEN_FOR_PEOPLE.has(error.name)) return error.message.replace(/\s*\n\s*/g, ' ');
  const { code, syscall, address, hostname, port, setting } = error as Fault;
  if (/^Connection terminated/.test(error.message)) return HUNG_UP;
  if (typeof code !== 'string') return undefined;
  if (syscall === 'listen') return listenFault(code, String(address), Number(port), setting);
  if (DATABASE_FAULTS[code] !== undefined) return `Postgres ${DATABASE_FAULTS[code]}`;
  if (NETWORK_FAULTS[code] === undefined) return undefined;
  const where = [address ?? hostname, port].filter((part) => part !== undefined).join(':');
  // Every command can begin without Redis: what it could not reach is the database.
  return `Postgres${where && ` at ${where}`} cannot be reached (${NETWORK_FAULTS[code]}): start it, or correct DATABASE_URL`;
}

/** Why a server cannot be reached, in words where there are some. */
export const networkFault = (code: string): string => NETWORK_FAULTS[code] ?? code;

/** Why a process cannot listen on an address; `setting` is what chooses the port. */
export function listenFault(code: string, host: string, port: number, setting = '--port'): string | undefined {
  if (code === 'EADDRINUSE') return `Port ${port} on ${host} is taken: end what uses it, or choose another with ${setting}`;
  if (code === 'EADDRNOTAVAIL') return `This machine has no address ${host}: correct HOST`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return `There is no address of the name ${host}: correct HOST`;
  if (code === 'EACCES') return `Port ${port} needs more rights than this user has: choose one above 1023 with ${setting}`;
  return undefined;
}

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  const queue: unknown[] = [error];
  while (queue.length > 0 && causes.length < 20) {
    const next = queue.shift();
    if (!(next instanceof Error)) continue;
    causes.push(next);
    queue.push(next.cause, ...(next instanceof AggregateError ? next.errors : []));
  }
  return causes;
}
