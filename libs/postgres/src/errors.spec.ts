import { StoreUnavailableError } from '#core';
import { isTaskTaken, storeError } from './errors.js';

const sql = (code: string): Error => Object.assign(new Error(`SQLSTATE ${code}`), { code });

describe('storeError', () => {
  it.each([
    ['a connection that broke', '08006'],
    ['too many connections', '53300'],
    ['a shutdown', '57P01'],
    ['a statement that took too long', '57014'],
    ['an I/O error', '58030'],
    ['a read-only replica', '25006'],
    ['a deadlock', '40P01'],
    ['a serialization failure', '40001'],
    ['a lock that cannot be had', '55P03'],
    ['a changed password', '28P01'],
    ['a database that is gone', '3D000'],
    ['a prepared statement that a pooler forgot', '26000'],
    ['a cached plan whose result type changed', '0A000'],
    ['a column that the database lacks', '42703'],
    ['an internal error', 'XX000'],
  ])('%s (%s) leaves the outcome unknown', (_, code) => {
    const error = sql(code);
    expect(storeError(error)).toMatchObject({ name: 'StoreUnavailableError', cause: error });
  });

  it.each([
    ['text that the encoding does not have', '22021'],
    ['a zero byte', '22P05'],
    ['a constraint', '23505'],
    ['a limit of the program', '54000'],
  ])('%s (%s) is refused for good', (_, code) => {
    const error = sql(code);
    expect(storeError(error)).toBe(error);
  });

  it('tells errors of the socket from values that cannot be sent', () => {
    expect(storeError(Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }))).toBeInstanceOf(StoreUnavailableError);
    expect(storeError(new Error('Query read timeout'))).toBeInstanceOf(StoreUnavailableError);
    const invalid = new RangeError('Invalid string length');
    expect(storeError(invalid)).toBe(invalid);
    expect(isTaskTaken(Object.assign(sql('23505'), { constraint: 'task_pkey' }))).toBe(true);
  });
});
