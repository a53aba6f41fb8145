import { BinaryReader } from '@bufbuild/protobuf/wire';
import { status } from '@grpc/grpc-js';
import { A2AError, ERROR_TABLE, InvalidParamsError, type ErrorName } from '#protocol';
import { failureOf } from './grpc-status.js';

const detailsOf = (error: A2AError): Buffer => failureOf(error).metadata.get('grpc-status-details-bin')[0] as Buffer;

describe('failureOf', () => {
  it.each(Object.keys(ERROR_TABLE) as ErrorName[])('gives %s the code of its row, and its reason', (name) => {
    const failure = failureOf(new A2AError(name, 'what it is', { key: 'value' }));
    expect(failure.code).toBe(status[ERROR_TABLE[name].grpc]);
    expect(failure.details).toBe('what it is');
    expect(detailsOf(new A2AError(name, 'x')).toString('latin1')).toContain(ERROR_TABLE[name].reason);
    const reader = new BinaryReader(detailsOf(new A2AError(name, 'x')));
    expect([reader.tag()[0], reader.int32()]).toEqual([1, failure.code]);
  });

  it('stays below what clients take as metadata, however many violations there are', () => {
    const violations = Array.from({ length: 5000 }, (_, i) => ({ field: `message.parts[${i}]`, description: 'is wrong' }));
    const error = new InvalidParamsError(violations, 'ä'.repeat(100_000));
    expect(detailsOf(error).toString('base64').length).toBeLessThan(8192 - 1024);
    expect(detailsOf(error).toString('latin1')).toContain('message.parts[0]');
    expect(encodeURIComponent(failureOf(error).details).length).toBeLessThan(8192);
  });

  it('is text even when a client sent half a surrogate pair', () => {
    expect(failureOf(new A2AError('InternalError', 'a\ud83d')).details).toBe('a\ufffd');
  });
});
