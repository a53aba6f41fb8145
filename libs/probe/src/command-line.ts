import { parseArgs } from 'node:util';
import { DEFAULT_OPTIONS, type ProbeOptions } from './options.js';

/** What was typed cannot be understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface CommandLine {
  readonly options: ProbeOptions;
  readonly json: boolean;
  readonly junit?: string;
  readonly html?: string;
}

export const USAGE = `Usage: probe <url> [options]

Checks an A2A agent against the specification 1.0.1. <url> is the agent's base or its card.
Nothing is changed at the agent unless --allow-side-effects is given: without it only the card, the
negotiation of versions and requests that must be refused are tried.

  --allow-side-effects          make, stream and cancel tasks too
  --message <text>              what to send; the agent should finish soon after it ("hello")
  --message-that-asks <text>    a text that the agent asks back on (INPUT_REQUIRED)
  --answer <text>               the answer to what it asked back ("yes")
  --message-that-works <text>   a text that the agent works on for some seconds
  --push                        try push notifications, with a receiver on this machine
  --push-url <url>              under which address the agent reaches the receiver
  --push-port <port>            the receiver's port
  --restart-command <command>   restarts the agent; its tasks must survive
  --token <token>               sent as a bearer token
  --api-key <key>               sent in the header that the card names
  --header <name: value>        one more header; may be repeated
  --trust-host <host>           a host beside the card's that may be spoken to, credentials included; may be repeated
  --jwks <url>                  the keys of the card's signatures
  --only <glob>                 run these checks only, as 'card.*' or 'list.*@GRPC'; may be repeated
  --timeout <seconds>           of one exchange (10)
  --json                        print the report as JSON
  --junit <file>                write the report as JUnit XML
  --html <file>                 write the report as a page

Exit code: 0 all that is required holds, 1 something does not, 2 there is no card to begin with (or a wrong option).`;

const OPTIONS = {
  'allow-side-effects': { type: 'boolean' },
  message: { type: 'string' },
  'message-that-asks': { type: 'string' },
  answer: { type: 'string' },
  'message-that-works': { type: 'string' },
  push: { type: 'boolean' },
  'push-url': { type: 'string' },
  'push-port': { type: 'string' },
  'restart-command': { type: 'string' },
  token: { type: 'string' },
  'api-key': { type: 'string' },
  header: { type: 'string', multiple: true },
  'trust-host': { type: 'string', multiple: true },
  jwks: { type: 'string' },
  only: { type: 'string', multiple: true },
  timeout: { type: 'string' },
  json: { type: 'boolean' },
  junit: { type: 'string' },
  html: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Undefined when help was asked for. Throws UsageError. */
export function parseCommandLine(args: readonly string[]): CommandLine | undefined {
  const { values, positionals } = parsed(args);
  if (values.help) return undefined;
  const [url, ...more] = positionals;
  if (url === undefined || more.length > 0) throw new UsageError('one URL is needed');
  const push = values.push ?? (values['push-url'] !== undefined || values['push-port'] !== undefined);
  return {
    json: values.json ?? false,
    junit: values.junit,
    html: values.html,
    options: {
      ...DEFAULT_OPTIONS,
      url,
      ...(values.message !== undefined && { message: values.message }),
      ...(values.answer !== undefined && { answer: values.answer }),
      messageThatAsks: values['message-that-asks'],
      messageThatWorks: values['message-that-works'],
      token: values.token,
      apiKey: values['api-key'],
      headers: Object.fromEntries((values.header ?? []).map(headerOf)),
      only: values.only ?? [],
      timeoutMs: positive('--timeout', values.timeout ?? '10') * 1000,
      allowSideEffects: values['allow-side-effects'] ?? false,
      push,
      pushUrl: values['push-url'],
      ...(values['push-port'] !== undefined && { pushPort: positive('--push-port', values['push-port']) }),
      restartCommand: values['restart-command'],
      trustHosts: values['trust-host'] ?? [],
      jwksUrl: values.jwks,
    },
  };
}

function parsed(args: readonly string[]): ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function headerOf(text: string): [string, string] {
  const found = /^([\w!#$%&'*+.^`|~-]+):\s*(.*)$/.exec(text);
  if (!found) throw new UsageError(`--header ${text} is not "name: value"`);
  return [(found[1] as string).toLowerCase(), found[2] as string];
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new UsageError(`${name} ${text} is not a number above 0`);
  return value;
}
