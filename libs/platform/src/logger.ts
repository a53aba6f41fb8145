import { Writable } from 'node:stream';
import { pino, stdSerializers, type DestinationStream, type Logger as PinoLogger } from 'pino';
import type { Config } from './config/config.js';
import { prettyLine } from './pretty-log.js';
import { redact } from './redact.js';

export interface LogFields {
  readonly err?: unknown;
  readonly [field: string]: unknown;
}

/** What `#core` calls a Logger: message first, then what it is about. */
export interface ProcessLogger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A logger whose every line carries `fields` too. */
  with(fields: LogFields): ProcessLogger;
}

/**
 * The log of a process: one JSON line each on standard output, `level`, `time`, `process` and the message first, then
 * the fields. What looks like a credential is hidden. `process` names the process in lines that many write together.
 */
export function createLogger(
  process: string,
  config: Pick<Config, 'logLevel' | 'logFormat'>,
  destination: DestinationStream = config.logFormat === 'pretty' ? prettyOutput() : pino.destination({ dest: 1, sync: true }),
): ProcessLogger {
  const options = {
    level: config.logLevel,
    base: { process, pid: globalThis.process.pid },
    timestamp: (): string => `,"time":"${new Date().toISOString()}"`,
    // `redact` is given errors as plain objects; pino would take those for errors once more, of type Object.
    serializers: { err: (err: unknown): unknown => err },
    formatters: { level: (label: string): object => ({ level: label }) },
  };
  return new PinoProcessLogger(pino(options, destination), {});
}

class PinoProcessLogger implements ProcessLogger {
  constructor(
    private readonly pino: PinoLogger,
    private readonly fields: LogFields,
  ) {}

  debug(message: string, fields?: LogFields): void {
    if (this.pino.isLevelEnabled('debug')) this.pino.debug(this.#entry(message, fields));
  }

  info(message: string, fields?: LogFields): void {
    if (this.pino.isLevelEnabled('info')) this.pino.info(this.#entry(message, fields));
  }

  warn(message: string, fields?: LogFields): void {
    if (this.pino.isLevelEnabled('warn')) this.pino.warn(this.#entry(message, fields));
  }

  error(message: string, fields?: LogFields): void {
    if (this.pino.isLevelEnabled('error')) this.pino.error(this.#entry(message, fields));
  }

  with(fields: LogFields): ProcessLogger {
    return new PinoProcessLogger(this.pino, { ...this.fields, ...fields });
  }

  #entry(message: string, fields: LogFields | undefined): object {
    const all = { ...this.fields, ...fields };
    const err = all.err instanceof Error ? stdSerializers.errWithCause(all.err) : all.err;
    // `msg` is put first by hand: given as pino's second argument it would come after the fields.
    return redact({ msg: message, ...all, ...(err === undefined ? {} : { err: plain(err) }) }) as object;
  }
}

/**
 * The serialized error without the serializer's getters, and without the objects that libraries hang on an error: pg's pool
 * adds its client, which holds the key that cancels its statements.
 */
function plain(err: unknown): unknown {
  if (typeof err !== 'object' || err === null) return err;
  if (Array.isArray(err)) return err.map(plain);
  const { type, message, stack, cause, aggregateErrors, ...rest } = err as Record<string, unknown>;
  const said = Object.entries(rest).filter(([, value]) => typeof value !== 'object' || value === null);
  return {
    ...{ type, message, stack, ...Object.fromEntries(said) },
    ...(cause === undefined ? {} : { cause: plain(cause) }),
    ...(aggregateErrors === undefined ? {} : { aggregateErrors: plain(aggregateErrors) }),
  };
}

function prettyOutput(): DestinationStream {
  return new Writable({
    write(line: Buffer, _encoding, done): void {
      process.stdout.write(prettyLine(line.toString(), process.stdout.isTTY), () => done());
    },
  });
}
