/** Who did what, when, from where, and what came of it. Nothing of what was said. */
export interface AuditEntry {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** A request of A2A or to the admin API, a `chorus` command, or the host itself. */
  readonly source: 'a2a' | 'admin' | 'command' | 'host';
  /** `SendMessage` and the other methods of A2A, or one of `OWN_OPERATIONS`. */
  readonly operation: string;
  /** `OK`, or the `reason` of the error that was answered, as `PERMISSION_DENIED`. */
  readonly outcome: string;
  /** `""` is the tenant without a name; undefined when nobody can tell. */
  readonly tenant?: string;
  /** Undefined when nobody can tell; of a command, the account of the operating system. */
  readonly principal?: string;
  /** The id of the API key, or of the token when it has one. */
  readonly credentialId?: string;
  readonly agentId?: string;
  /** A UUID. */
  readonly taskId?: string;
  /** A UUID too: what a client calls its context otherwise may be anything. */
  readonly contextId?: string;
  /** What else it was about: the id of a key that was made, whose data was deleted. */
  readonly subject?: string;
  /** Of the client. */
  readonly address?: string;
  /** `X-Request-Id` of the request. */
  readonly requestId?: string;
  /** How often it happened, like this one, within a minute; 1 unless given. */
  readonly count?: number;
}

export interface StoredAuditEntry extends AuditEntry {
  /** Grows with the order in which entries were stored. */
  readonly id: number;
  readonly count: number;
}

/** Which entries are meant; what is undefined narrows nothing. */
export interface AuditQuery {
  readonly tenant?: string;
  readonly principal?: string;
  readonly agentId?: string;
  readonly taskId?: string;
  readonly operation?: string;
  readonly outcome?: string;
  /** Milliseconds since the epoch. */
  readonly since?: number;
  readonly until?: number;
  /** Entries with a smaller id: the page after the one that ended there. */
  readonly before?: number;
  readonly limit: number;
}

/** The audit log. Every method rejects with StoreUnavailableError when the database cannot be reached. */
export abstract class AuditLog {
  /** Stores all of them, or none. */
  abstract record(entries: readonly AuditEntry[]): Promise<void>;

  /** The newest first. */
  abstract list(query: AuditQuery): Promise<readonly StoredAuditEntry[]>;
}
