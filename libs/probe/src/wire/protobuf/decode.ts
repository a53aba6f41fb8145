import type { Json, JsonObject } from '../json.js';
import { WireFault } from '../wire-fault.js';
import { ENUMS, MESSAGES, type Field } from './schema.js';

interface Entry {
  readonly number: number;
  readonly wireType: number;
  readonly varint: bigint;
  readonly bytes: Buffer;
}

/**
 * The JSON form of a message. Unknown fields are dropped; REQUIRED ones that are not on the wire have their zero value, as ProtoJSON
 * writes them. Throws WireFault for bytes that are no such message, and for nesting deeper than `maxDepth`.
 */
export function decode(type: string, bytes: Buffer, maxDepth: number): JsonObject {
  if (maxDepth < 0) throw new WireFault('a protobuf message nested too deeply');
  const fields = MESSAGES[type] ?? [];
  const value: JsonObject = {};
  for (const { name, required, repeated, map, type: of } of fields) if (required) setZero(value, name, repeated, map, of);
  for (const entry of entries(bytes)) {
    const field = fields.find(({ number }) => number === entry.number);
    if (field) put(value, field, fields, entry, maxDepth);
  }
  return value;
}

function setZero(value: JsonObject, name: string, repeated: boolean, map: boolean, type: string): void {
  if (repeated) value[name] = [];
  else if (map) value[name] = {};
  else if (type === 'string') value[name] = '';
  else if (type === 'int32') value[name] = 0;
}

function put(value: JsonObject, field: Field, fields: readonly Field[], entry: Entry, depth: number): void {
  const { name, type, repeated, map, oneOf } = field;
  if (map) {
    const found = mapEntry(type, entry, depth);
    value[name] = Object.fromEntries([...Object.entries((value[name] as JsonObject | undefined) ?? {}), found]);
  } else if (repeated) (value[name] = (value[name] as Json[] | undefined) ?? []).push(single(type, entry, depth));
  else {
    // The last member of a one-of that is on the wire counts.
    if (oneOf) for (const other of fields) if (other.oneOf === oneOf) delete value[other.name];
    value[name] = single(type, entry, depth);
  }
}

function mapEntry(type: string, entry: Entry, depth: number): [string, Json] {
  let key = '';
  let item: Json = type === 'string' ? '' : {};
  for (const inner of entries(entry.bytes)) {
    if (inner.number === 1) key = single('string', inner, depth) as string;
    if (inner.number === 2) item = single(type, inner, depth - 1);
  }
  return [key, item];
}

function single(type: string, { varint, bytes }: Entry, depth: number): Json {
  if (type === 'string') return bytes.toString('utf8');
  if (type === 'bytes') return bytes.toString('base64');
  if (type === 'bool') return varint !== 0n;
  if (type === 'int32') return Number(BigInt.asIntN(32, varint));
  const names = ENUMS[type];
  if (names) return names[Number(varint)] ?? Number(varint);
  if (type === 'Struct') return structOf(bytes, depth - 1);
  if (type === 'Value') return valueOf(bytes, depth - 1);
  if (type === 'Timestamp') return timestampOf(bytes);
  return decode(type, bytes, depth - 1);
}

function structOf(bytes: Buffer, depth: number): JsonObject {
  if (depth < 0) throw new WireFault('a protobuf message nested too deeply');
  return Object.fromEntries(
    [...entries(bytes)].filter(({ number }) => number === 1).map((entry) => mapEntry('Value', entry, depth)),
  );
}

function valueOf(bytes: Buffer, depth: number): Json {
  if (depth < 0) throw new WireFault('a protobuf message nested too deeply');
  let value: Json = null;
  for (const { number, varint, bytes: inner } of entries(bytes)) {
    if (number === 1) value = null;
    else if (number === 2) value = inner.length === 8 ? inner.readDoubleLE() : 0;
    else if (number === 3) value = inner.toString('utf8');
    else if (number === 4) value = varint !== 0n;
    else if (number === 5) value = structOf(inner, depth - 1);
    else if (number === 6)
      value = [...entries(inner)].filter((entry) => entry.number === 1).map((entry) => valueOf(entry.bytes, depth - 1));
  }
  return value;
}

function timestampOf(bytes: Buffer): string {
  let seconds = 0n;
  let nanos = 0n;
  for (const { number, varint } of entries(bytes)) {
    if (number === 1) seconds = BigInt.asIntN(64, varint);
    if (number === 2) nanos = BigInt.asIntN(32, varint);
  }
  const date = new Date(Number(seconds) * 1000 + Number(nanos / 1_000_000n));
  if (Number.isNaN(date.getTime())) throw new WireFault('a timestamp out of range');
  return date.toISOString();
}

function* entries(bytes: Buffer): Iterable<Entry> {
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at];
      if (byte === undefined) throw new WireFault('a protobuf message that breaks off');
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new WireFault('a protobuf number without an end');
  };
  const take = (length: number): Buffer => {
    if (length > bytes.length - at) throw new WireFault('a protobuf message that breaks off');
    at += length;
    return bytes.subarray(at - length, at);
  };
  while (at < bytes.length) {
    const tag = Number(varint());
    const [number, wireType] = [tag >>> 3, tag & 7];
    if (wireType === 0) yield { number, wireType, varint: varint(), bytes: Buffer.alloc(0) };
    else if (wireType === 1) yield { number, wireType, varint: 0n, bytes: take(8) };
    else if (wireType === 2) yield { number, wireType, varint: 0n, bytes: take(Number(varint())) };
    else if (wireType === 5) yield { number, wireType, varint: 0n, bytes: take(4) };
    else throw new WireFault(`a protobuf field of wire type ${wireType}`);
  }
}
