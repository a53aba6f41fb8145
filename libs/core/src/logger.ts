/** What core needs of a logger; `libs/platform` provides it (pino). Message first, then what it is about. */
export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

export interface LogFields {
  readonly tenant?: string;
  readonly agentId?: string;
  readonly taskId?: string;
  readonly sequence?: number;
  readonly err?: unknown;
  readonly [field: string]: unknown;
}

export const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };
