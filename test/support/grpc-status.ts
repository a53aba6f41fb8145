import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { ServiceError } from '@grpc/grpc-js';

/** A failed call as a test sees it: `details` in the form in which the other bindings write them. */
export class GrpcError extends Error {
  readonly code: number;
  readonly details: readonly Readonly<Record<string, unknown>>[];

  constructor(error: ServiceError) {
    super(error.details);
    this.code = error.code;
    const [bytes] = error.metadata.get('grpc-status-details-bin');
    const status = bytes === undefined ? undefined : fieldsOf(bytes as Buffer);
    this.details = (status?.get(3) ?? []).map((any) => detailOf(any as Uint8Array));
    // Both say the same (`google.rpc.Status`).
    if (status) expect([status.get(1), textOf(status, 2)]).toEqual([[error.code], error.details]);
  }
}

type Fields = ReadonlyMap<number, readonly (number | Uint8Array)[]>;

function fieldsOf(bytes: Uint8Array): Fields {
  const fields = new Map<number, (number | Uint8Array)[]>();
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag();
    const value = type === WireType.Varint ? reader.int32() : reader.bytes();
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

const textOf = (fields: Fields, number: number): string => Buffer.from((fields.get(number)?.[0] as Uint8Array) ?? []).toString();

const pairsOf = (fields: Fields, number: number): [string, string][] =>
  (fields.get(number) ?? []).map((bytes) => {
    const pair = fieldsOf(bytes as Uint8Array);
    return [textOf(pair, 1), textOf(pair, 2)];
  });

function detailOf(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  const any = fieldsOf(bytes);
  const type = textOf(any, 1);
  const value = fieldsOf(any.get(2)?.[0] as Uint8Array);
  if (type === 'type.googleapis.com/google.rpc.ErrorInfo') {
    const metadata = pairsOf(value, 3);
    const info = { '@type': type, reason: textOf(value, 1), domain: textOf(value, 2) };
    return metadata.length === 0 ? info : { ...info, metadata: Object.fromEntries(metadata) };
  }
  if (type === 'type.googleapis.com/google.rpc.RetryInfo') {
    const [seconds] = fieldsOf(value.get(1)?.[0] as Uint8Array).get(1) ?? [];
    return { '@type': type, retryDelay: `${String(seconds)}s` };
  }
  if (type !== 'type.googleapis.com/google.rpc.BadRequest') throw new Error(`a detail of the type ${type}`);
  return { '@type': type, fieldViolations: pairsOf(value, 1).map(([field, description]) => ({ field, description })) };
}
