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

/** A logger whose every line carries `fields` too. */
export function loggerWith(logger: Logger, fields: LogFields): Logger {
  return {
    debug: (message, more) => logger.debug(message, { ...fields, ...more }),
    info: (message, more) => logger.info(message, { ...fields, ...more }),
    warn: (message, more) => logger.warn(message, { ...fields, ...more }),
    error: (message, more) => logger.error(message, { ...fields, ...more }),
  };
}

export const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };
