import { isObject, show, type Json } from './json.js';
import { ENUMS, MESSAGES, NEEDS_ONE, type Field } from './protobuf/schema.js';

export type FaultKind = 'missing' | 'empty' | 'type' | 'name';

export interface ProtoJsonFault {
  readonly kind: FaultKind;
  /** Wire names, as `task.status.state`. */
  readonly path: string;
  readonly text: string;
}

const DIGITS = /^-?\d+$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z$/;

/**
 * Where `value` is not the ProtoJSON form of the message `type` (sections 5.5 to 5.7): required fields that are missing or empty, wrong
 * types, names that are not those of the wire. Unknown fields are no fault, their time may come.
 */
export function protoJsonFaults(type: string, value: Json | undefined, path = ''): ProtoJsonFault[] {
  const wrong = (expected: string): ProtoJsonFault[] => [{ kind: 'type', path, text: `${show(value)} is not ${expected}` }];
  if (type === 'Value') return [];
  if (type === 'Struct') return isObject(value) ? [] : wrong('an object');
  if (type === 'Timestamp')
    return typeof value === 'string' && TIMESTAMP.test(value) && !Number.isNaN(Date.parse(value))
      ? []
      : wrong('a UTC timestamp like 2026-01-31T10:30:00.000Z');
  if (!(type in MESSAGES)) return scalarFaults(type, value, path);
  if (!isObject(value)) return wrong('an object');
  const fields = MESSAGES[type] as readonly Field[];
  return [
    ...fields.flatMap((field) => fieldFaults(field, value[field.name], join(path, field.name))),
    ...oneOfFaults(type, value, path),
    ...nameFaults(fields, value, path),
  ];
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

function fieldFaults(field: Field, value: Json | undefined, path: string): ProtoJsonFault[] {
  const { required, mayBeEmpty, repeated, map, type } = field;
  if (value === undefined) return required ? [{ kind: 'missing', path, text: 'is required and missing' }] : [];
  if (required && !mayBeEmpty && isEmpty(value, type)) return [{ kind: 'empty', path, text: `is required and ${show(value)}` }];
  if (repeated) {
    if (!Array.isArray(value)) return [{ kind: 'type', path, text: `${show(value)} is not an array` }];
    return value.flatMap((item, n) => protoJsonFaults(type, item, `${path}[${n}]`));
  }
  if (map) {
    if (!isObject(value)) return [{ kind: 'type', path, text: `${show(value)} is not an object` }];
    return Object.entries(value).flatMap(([key, item]) => protoJsonFaults(type, item, `${path}.${key}`));
  }
  return protoJsonFaults(type, value, path);
}

const isEmpty = (value: Json, type: string): boolean =>
  value === '' || (Array.isArray(value) && value.length === 0) || (type in ENUMS && value === ENUMS[type]?.[0]);

function scalarFaults(type: string, value: Json | undefined, path: string): ProtoJsonFault[] {
  const names = ENUMS[type];
  const [ok, expected] = names
    ? [typeof value === 'string' && names.includes(value), `a ${type}, as ${names[1]}`]
    : type === 'bool'
      ? [typeof value === 'boolean', 'true or false']
      : type === 'int32'
        ? [typeof value === 'number' ? Number.isInteger(value) : typeof value === 'string' && DIGITS.test(value), 'an integer']
        : type === 'bytes'
          ? [typeof value === 'string' && BASE64.test(value), 'base64']
          : [typeof value === 'string', 'a string'];
  return ok ? [] : [{ kind: 'type', path, text: `${show(value)} is not ${expected}` }];
}

function oneOfFaults(type: string, value: { [key: string]: Json | undefined }, path: string): ProtoJsonFault[] {
  const oneOf = NEEDS_ONE[type];
  if (oneOf === undefined) return [];
  const members = (MESSAGES[type] as readonly Field[]).filter((field) => field.oneOf === oneOf).map(({ name }) => name);
  const set = members.filter((name) => value[name] !== undefined);
  if (set.length === 1) return [];
  return [
    { kind: 'type', path, text: `has ${set.length === 0 ? 'none' : set.join(' and ')} of ${members.join(', ')}; one is needed` },
  ];
}

/** `context_id` where the wire says `contextId`. */
function nameFaults(fields: readonly Field[], value: object, path: string): ProtoJsonFault[] {
  return Object.keys(value).flatMap((key): ProtoJsonFault[] => {
    const camel = key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    if (camel === key || !fields.some(({ name }) => name === camel)) return [];
    return [{ kind: 'name', path: join(path, key), text: `is written ${camel} on the wire` }];
  });
}

export const describeFaults = (faults: readonly ProtoJsonFault[]): string =>
  faults
    .slice(0, 8)
    .map(({ path, text }) => `${path || 'the whole'}: ${text}`)
    .join('; ') + (faults.length > 8 ? `; and ${faults.length - 8} more` : '');
