/** What about a URL, or about the host that it names, is not allowed. */
export type RefusalReason = 'malformed' | 'scheme' | 'credentials' | 'name' | 'port' | 'address';

const WORDS: Record<RefusalReason, string> = {
  malformed: 'it is not a valid URL with a host name or an IP address',
  scheme: 'its scheme is neither http nor https',
  credentials: 'it contains credentials',
  name: 'its host name is one of an internal network',
  port: 'its port is not allowed',
  address: 'its host is not at a public address',
};

/**
 * The request was not made: the policy forbids it. `message` may be shown to whoever wrote the URL: it never holds an address that a
 * name resolved to. `detail` does, and is for the log.
 */
export class OutboundRefusedError extends Error {
  override readonly name = 'OutboundRefusedError';

  constructor(
    readonly reason: RefusalReason,
    readonly detail?: string,
  ) {
    super(`The URL is not allowed: ${WORDS[reason]}`);
  }
}

/** No answer, or not the whole of it, within the time. */
export class OutboundTimeoutError extends Error {
  override readonly name = 'OutboundTimeoutError';

  constructor(readonly timeoutMs?: number) {
    super(timeoutMs === undefined ? 'The host did not answer in time' : `The host did not answer within ${timeoutMs} ms`);
  }
}

/**
 * The host has no address, cannot be reached, has another's certificate, or answers what is not HTTP or is too long. `message` may be
 * shown to whoever wrote the URL; `cause` may hold addresses, and is for the log.
 */
export class OutboundFailedError extends Error {
  override readonly name = 'OutboundFailedError';

  constructor(
    message: string,
    /** Of the cause, as `ECONNREFUSED`; stable, for a ledger. */
    readonly code: string,
    cause?: unknown,
  ) {
    super(message, { cause });
  }
}

/** An entry of the allow-list cannot be read; the message is one line that quotes it. */
export class AllowEntryError extends Error {
  override readonly name = 'AllowEntryError';
}

const FAILURES: Readonly<Record<string, string>> = {
  ENOTFOUND: 'The host name has no address',
  ENODATA: 'The host name has no address',
  ECONNREFUSED: 'The host refused the connection',
  ECONNRESET: 'The host closed the connection',
  EPIPE: 'The host closed the connection',
  UND_ERR_SOCKET: 'The host closed the connection',
  EHOSTUNREACH: 'The host cannot be reached',
  ENETUNREACH: 'The host cannot be reached',
  EADDRNOTAVAIL: 'The host cannot be reached',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too long',
  UND_ERR_INVALID_ARG: 'The request is not valid HTTP',
};

/** What every library on the way may throw, as one of the three classes above. Those, and a caller's own abort, pass unchanged. */
export function outboundError(error: unknown): unknown {
  if (error instanceof OutboundRefusedError || error instanceof OutboundTimeoutError || error instanceof OutboundFailedError) {
    return error;
  }
  const code = codeOf(error);
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'ETIMEDOUT' || code === 'ETIMEOUT') return new OutboundTimeoutError();
  return new OutboundFailedError(code === undefined ? 'The request failed' : wordsFor(code), code ?? 'UNKNOWN', error);
}

/** By form and not by class: an error of Node's core may come from another realm. */
function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  if ('code' in error && typeof error.code === 'string') return error.code;
  // undici gives its parser's errors a code only when the parser did.
  return 'name' in error && error.name === 'HTTPParserError' ? 'HPE_INVALID' : undefined;
}

function wordsFor(code: string): string {
  const known = FAILURES[code];
  if (known !== undefined) return known;
  if (/CERT|SELF_SIGNED|ISSUER|SIGNATURE/.test(code)) return "The host's certificate is not valid for its name";
  if (/^ERR_(SSL|TLS)|^EPROTO/.test(code)) return 'The host does not speak TLS';
  if (code.startsWith('HPE_') || code.startsWith('UND_ERR_')) return 'The answer is not valid HTTP';
  if (/^E(AI_|SERVFAIL|REFUSED|TIMEOUT|BADRESP|FORMERR|CANCELLED)/.test(code)) return 'The host name could not be looked up';
  return 'The request failed';
}
