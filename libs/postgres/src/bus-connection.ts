import type { Logger } from '#core';
import { within } from '#core';
import { Socket } from 'node:net';
import pg from 'pg';

/** A connection that does not answer for this long is given up. */
const ANSWER_MS = 5000;
/** How long the server may take to say goodbye. */
const GOODBYE_MS = 1000;

export interface BusConnectionOptions {
  readonly connectionString: string;
  readonly applicationName: string;
  readonly logger: Logger;
  /** Prepares a new connection before anybody gets it. */
  readonly prepare?: (client: pg.Client) => Promise<unknown>;
  /** The connection that was in use has ended; not called after `close`. */
  readonly onLost?: () => void;
}

interface Open {
  readonly client: pg.Client;
  readonly socket: Socket;
  /** Rejects when it cannot be made. */
  readonly ready: Promise<pg.Client>;
}

/** One connection beside the pools, made when it is needed and made anew when it has ended. */
export class BusConnection {
  #open: Open | undefined;
  #closed = false;

  constructor(private readonly options: BusConnectionOptions) {}

  /** The connection, once it can be used. Rejects when it cannot be made; the next call tries again. */
  get(): Promise<pg.Client> {
    if (this.#closed) return Promise.reject(new Error('The connection is closed'));
    return (this.#open ??= this.#connect()).ready;
  }

  /** Gives `client` up, if it is the one in use: the next `get` makes another. */
  discard(client: pg.Client): void {
    if (this.#open?.client === client) this.#end(this.#open);
  }

  /** Resolves within a second, whether or not the server answers. */
  async close(): Promise<void> {
    this.#closed = true;
    const open = this.#open;
    if (!open) return;
    await within(open.client.end(), GOODBYE_MS);
    open.socket.destroy();
  }

  #connect(): Open {
    const { connectionString, applicationName, logger, prepare } = this.options;
    const socket = new Socket();
    const client = new pg.Client({
      connectionString,
      application_name: applicationName,
      stream: () => socket,
      keepAlive: true,
      keepAliveInitialDelayMillis: 10_000,
      connectionTimeoutMillis: ANSWER_MS,
      query_timeout: ANSWER_MS,
    });
    client.on('error', (err) => logger.warn('The connection of the event bus broke; it is made anew', { err }));
    const ready = client.connect().then(async () => {
      await prepare?.(client);
      return client;
    });
    const open: Open = { client, socket, ready };
    client.once('end', () => this.#end(open));
    ready.catch(() => this.#end(open));
    return open;
  }

  /** An end of a connection that was replaced is no news of the one in use. */
  #end(open: Open): void {
    open.socket.destroy();
    if (this.#open !== open) return;
    this.#open = undefined;
    if (!this.#closed) this.options.onLost?.();
  }
}
