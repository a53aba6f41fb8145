import { isObject, type Json } from '../json.js';
import { ENUMS, MESSAGES, type Field } from './schema.js';

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;

/** The protobuf bytes of a message's JSON form. What the schema does not know is left out; wrong types are written as zero values. */
export function encode(type: string, value: Json | undefined): Buffer {
  if (type === 'Struct') return structBytes(value);
  if (type === 'Value') return valueBytes(value ?? null);
  if (type === 'Timestamp') return timestampBytes(String(value));
  if (!isObject(value)) return Buffer.alloc(0);
  return Buffer.concat((MESSAGES[type] ?? []).map((field) => fieldBytes(field, value[field.name])));
}

function fieldBytes(field: Field, value: Json | undefined): Buffer {
  if (value === undefined) return Buffer.alloc(0);
  if (field.repeated) return Buffer.concat((value as Json[]).map((item) => one(field.number, field.type, item)));
  if (field.map) return Buffer.concat(Object.entries(value as object).map(([key, item]) => mapEntry(field, key, item as Json)));
  return one(field.number, field.type, value);
}

const mapEntry = ({ number, type }: Field, key: string, value: Json): Buffer =>
  delimited(number, Buffer.concat([one(1, 'string', key), one(2, type, value)]));

function one(number: number, type: string, value: Json): Buffer {
  if (type === 'string') return delimited(number, Buffer.from(String(value), 'utf8'));
  if (type === 'bytes') return delimited(number, Buffer.from(String(value), 'base64'));
  if (type === 'bool') return tagged(number, VARINT, varint(value === true ? 1n : 0n));
  if (type === 'int32') return tagged(number, VARINT, varint(BigInt.asUintN(64, BigInt(Math.trunc(Number(value))))));
  const names = ENUMS[type];
  if (names)
    return tagged(number, VARINT, varint(BigInt(typeof value === 'number' ? value : Math.max(0, names.indexOf(String(value))))));
  return delimited(number, encode(type, value));
}

const tagged = (number: number, wireType: number, bytes: Buffer): Buffer =>
  Buffer.concat([varint(BigInt((number << 3) | wireType)), bytes]);

const delimited = (number: number, bytes: Buffer): Buffer =>
  tagged(number, BYTES, Buffer.concat([varint(BigInt(bytes.length)), bytes]));

function varint(value: bigint): Buffer {
  const bytes: number[] = [];
  for (; value > 0x7fn; value >>= 7n) bytes.push(Number(value & 0x7fn) | 0x80);
  return Buffer.from([...bytes, Number(value)]);
}

function structBytes(value: Json | undefined): Buffer {
  if (!isObject(value)) return Buffer.alloc(0);
  const entry = ([key, item]: [string, Json | undefined]): Buffer =>
    delimited(1, Buffer.concat([one(1, 'string', key), delimited(2, valueBytes(item ?? null))]));
  return Buffer.concat(Object.entries(value).map(entry));
}

function valueBytes(value: Json): Buffer {
  if (value === null) return tagged(1, VARINT, varint(0n));
  if (typeof value === 'number') {
    const double = Buffer.alloc(8);
    double.writeDoubleLE(value);
    return tagged(2, FIXED64, double);
  }
  if (typeof value === 'string') return one(3, 'string', value);
  if (typeof value === 'boolean') return one(4, 'bool', value);
  if (Array.isArray(value)) return delimited(6, Buffer.concat(value.map((item) => delimited(1, valueBytes(item)))));
  return delimited(5, structBytes(value));
}

function timestampBytes(text: string): Buffer {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return Buffer.alloc(0);
  const seconds = Math.floor(ms / 1000);
  return Buffer.concat([one(1, 'int32', seconds), one(2, 'int32', (ms - seconds * 1000) * 1_000_000)]);
}
