import { status } from '@grpc/grpc-js';
import { ERROR_TABLE } from '#protocol';
import { RpcError } from './a2a-client.js';
import { GrpcError } from './grpc-status.js';
import { RestError } from './rest-client.js';

/** An error of any binding: what they all say of it. */
export interface Refusal {
  readonly message: string;
  /** `google.rpc` details in their ProtoJSON form. */
  readonly details: unknown;
}

/** What a client was told; fails when the code is not the one that the table of errors has for this reason and binding. Throws other errors. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof RpcError) {
    expectRow(error.data, 'code', error.code);
    return { message: error.message.replace(`${error.code}: `, ''), details: error.data };
  }
  if (error instanceof RestError) {
    const { code, status: name, message, details } = JSON.parse(error.text).error;
    expect(code).toBe(error.status);
    expectRow(details, 'http', code);
    expectRow(details, 'grpc', name);
    return { message, details };
  }
  if (error instanceof GrpcError) {
    expectRow(error.details, 'grpc', status[error.code]);
    return { message: error.message, details: error.details };
  }
  throw error;
}

function expectRow(details: unknown, column: 'code' | 'http' | 'grpc', value: unknown): void {
  const [info] = details as { reason: string; domain: string }[];
  const rows = Object.values(ERROR_TABLE).filter(({ reason, domain }) => reason === info?.reason && domain === info.domain);
  expect(rows.map((row) => row[column])).toEqual([value]);
}
