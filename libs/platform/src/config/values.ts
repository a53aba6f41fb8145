import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { projectRoot } from '../project-root.js';

/** Where a variable has an effect; also the order and the headings of the page that describes them. */
export type VariableGroup =
  | 'Addresses'
  | 'Access'
  | 'Audit log'
  | 'gRPC'
  | 'Protocol'
  | 'Signed cards'
  | 'Push notifications'
  | 'Limits of a caller'
  | 'Limits of a request'
  | 'Storage'
  | 'Worker'
  | 'Times'
  | 'Logs';

export interface VariableText {
  readonly group: VariableGroup;
  readonly description: string;
  /** As one would write it in the environment; absent: the variable is optional, or required. */
  readonly default?: string;
}

/** One environment variable: how it is called, what it accepts, and what it is without being set. */
export interface Variable<T> extends VariableText {
  readonly name: string;
  readonly unit?: string;
  /** What may be written, in words. */
  readonly accepts: string;
  readonly required: boolean;
  readonly schema: z.ZodType<T, string>;
}

interface ValueType<T> {
  readonly schema: z.ZodType<T, string>;
  readonly accepts: string;
  readonly unit?: string;
}

type WithDefault = VariableText & { readonly default: string };

/** Node's timers take no more than this; a longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** A variable that always has a value. */
export function variable<T>(name: string, type: ValueType<T>, text: WithDefault): Variable<T> {
  return { name, ...type, ...text, required: false };
}

/** A variable that is undefined unless it is set. */
export function optional<T>(name: string, type: ValueType<T>, text: Omit<VariableText, 'default'>): Variable<T | undefined> {
  return { name, ...type, ...text, required: false };
}

/** A variable that has to be set. */
export function required<T>(name: string, type: ValueType<T>, text: Omit<VariableText, 'default'>): Variable<T> {
  return { name, ...type, ...text, required: true };
}

export function integer(min: number, max: number, unit?: string): ValueType<number> {
  const accepts = `a whole number from ${min} to ${max}`;
  const schema = z
    .string()
    .regex(/^\d{1,15}$/, `is not ${accepts}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `is not ${accepts}`);
  return { schema, accepts, unit };
}

export const milliseconds = (min: number, max = MAX_TIMER_MS): ValueType<number> => integer(min, max, 'ms');

export const port = integer(0, 65_535);

/** So many requests within so many seconds. */
export const rate: ValueType<{ readonly requests: number; readonly seconds: number }> = (() => {
  const accepts = 'a number of requests and one of seconds, as 600:60';
  const schema = z
    .string()
    .regex(/^[1-9]\d{0,7}:[1-9]\d{0,4}$/, `is not ${accepts}`)
    .transform((value) => {
      const [requests, seconds] = value.split(':').map(Number) as [number, number];
      return { requests, seconds };
    });
  return { schema, accepts };
})();

/** The same, or undefined for `off`. */
export const rateOrOff: ValueType<{ readonly requests: number; readonly seconds: number } | undefined> = {
  schema: z.union(
    [z.literal('off').transform(() => undefined), rate.schema],
    `is not off or ${rate.accepts}`,
  ) as unknown as z.ZodType<{ readonly requests: number; readonly seconds: number } | undefined, string>,
  accepts: `off, or ${rate.accepts}`,
};

/** The number of a port, or undefined for `off`. */
export const portOrOff: ValueType<number | undefined> = {
  schema: z
    .string()
    .refine((value) => value === 'off' || port.schema.safeParse(value).success, `is not off or ${port.accepts}`)
    .transform((value) => (value === 'off' ? undefined : Number(value))),
  accepts: `off, or ${port.accepts}`,
};

/** Host and port, as gRPC clients take them. */
export const hostAndPort: ValueType<string> = {
  schema: z
    .string()
    .regex(
      /^(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]):\d{1,5}$/,
      'is not a host and a port without a scheme, as a2a.example.com:443',
    ),
  accepts: 'a host and a port without a scheme, as a2a.example.com:443',
};

export function choice<const T extends string>(...values: readonly T[]): ValueType<T> {
  return {
    schema: z.enum(values, `is not one of ${values.join(', ')}`) as unknown as z.ZodType<T, string>,
    accepts: values.join(', '),
  };
}

/** Written `on` or `off`. */
export const onOff: ValueType<boolean> = {
  schema: z.enum(['on', 'off'], 'is not on or off').transform((value) => value === 'on') as unknown as z.ZodType<boolean, string>,
  accepts: 'on, off',
};

/** Written `true` or `false`. */
export const trueOrFalse: ValueType<boolean> = {
  schema: z.enum(['true', 'false'], 'is not true or false').transform((value) => value === 'true') as unknown as z.ZodType<
    boolean,
    string
  >,
  accepts: 'true, false',
};

/** Comma-separated words out of a fixed set, at least one. */
export function choices<const T extends string>(...values: readonly T[]): ValueType<readonly T[]> {
  const accepts = `comma-separated words out of ${values.join(', ')}`;
  const schema = z
    .string()
    .transform(splitList)
    .refine(
      (list): list is T[] => list.length > 0 && list.every((word) => values.includes(word as T)),
      `is not made of ${accepts}`,
    );
  return { schema: schema as unknown as z.ZodType<readonly T[], string>, accepts };
}

export const words: ValueType<readonly string[]> = {
  schema: z.string().transform(splitList),
  accepts: 'comma-separated names',
};

/** The name of a header, in lower case. */
export const headerName: ValueType<string> = {
  schema: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]{0,63}$/, 'is not the name of a header')
    .transform((name) => name.toLowerCase()),
  accepts: 'the name of a header',
};

export const text: ValueType<string> = { schema: z.string(), accepts: 'any text' };

/** Names that stay readable as a key prefix of Redis and as a schema of Postgres. */
export const identifier: ValueType<string> = {
  schema: z.string().regex(/^[a-z][a-z0-9_]{0,31}$/, 'is not a lower-case name of up to 32 letters, digits and _'),
  accepts: 'a lower-case name of up to 32 letters, digits and _',
};

/** 32 random bytes. */
export const secretKey: ValueType<Buffer> = {
  schema: z
    .string()
    .regex(
      /^(?:[0-9A-Fa-f]{64}|[A-Za-z0-9+/]{43}=?|[A-Za-z0-9_-]{43}=?)$/,
      'is not 32 bytes, written as 64 hexadecimal digits or in base64',
    )
    .transform((value) => Buffer.from(value, value.length === 64 ? 'hex' : 'base64')),
  accepts: '32 bytes, written as 64 hexadecimal digits or in base64',
};

/** Relative paths are relative to the current folder. */
export const folder: ValueType<string> = { schema: z.string().transform((path) => resolve(path)), accepts: 'a path' };

/** Relative paths are relative to the project, wherever it was started from. */
export const projectFolder: ValueType<string> = {
  schema: z.string().transform((path) => resolve(projectRoot, path)),
  accepts: "a path; a relative one starts at the project's folder",
};

export function url(...protocols: readonly string[]): ValueType<string> {
  const accepts = `a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`;
  const valid = (value: string): boolean => URL.canParse(value) && protocols.includes(new URL(value).protocol);
  return { schema: z.string().refine(valid, `is not ${accepts}`), accepts };
}

/** Without a trailing slash, so that paths can be appended. */
export const baseUrl: ValueType<string> = {
  schema: url('http:', 'https:')
    .schema.refine((value) => !/[?#]/.test(value), 'may not have a query or a fragment')
    .transform((value) => value.replace(/\/+$/, '')),
  accepts: 'a URL that starts with http:// or https://',
};

export const networks: ValueType<readonly string[]> = {
  schema: z
    .string()
    .transform(splitList)
    .refine((list) => list.every(isNetwork), 'is not made of comma-separated IP addresses or CIDR blocks'),
  accepts: 'comma-separated IP addresses or CIDR blocks; empty trusts nobody',
};

/** `['*']` for any, `[]` for none. */
export const origins: ValueType<readonly string[]> = {
  schema: z
    .string()
    .transform((value) => (value === 'none' ? [] : splitList(value)))
    .refine(
      (list) => (list.length === 1 && list[0] === '*') || list.every(isOrigin),
      'is not `*`, `none` or made of comma-separated origins, as https://app.example.com',
    ),
  accepts: 'comma-separated origins, as https://app.example.com, or `*` for any, or `none`',
};

function splitList(value: string): string[] {
  return value
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function isNetwork(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

/** As browsers write it: without a path, a default port or capital letters. */
const isOrigin = (value: string): boolean => URL.canParse(value) && new URL(value).origin === value;
