import { explain } from './explain.js';

const fault = (fields: object, message = 'something'): Error => Object.assign(new Error(message), fields);
const named = (name: string, message: string): Error => fault({ name }, message);

describe('explain', () => {
  it.each([
    [named('ConfigError', 'PORT is not a whole number'), 'PORT is not a whole number'],
    [named('BadAgentError', 'agents/x.js: no default export\n  at line 1'), 'agents/x.js: no default export at line 1'],
    [named('NewerDatabaseError', 'The database is newer'), 'The database is newer'],
    [
      fault({ code: 'EADDRINUSE', syscall: 'listen', address: '127.0.0.1', port: 3000 }),
      'Port 3000 on 127.0.0.1 is taken: end what uses it, or choose another with --port',
    ],
    [
      fault({ code: 'EADDRNOTAVAIL', syscall: 'listen', address: '10.9.9.9', port: 1 }),
      'This machine has no address 10.9.9.9: correct HOST',
    ],
    [
      fault({ code: 'ENOTFOUND', syscall: 'listen', address: 'nonsense', port: 3000 }),
      'There is no address of the name nonsense: correct HOST',
    ],
    [
      new Error('Postgres: Connection terminated unexpectedly', { cause: new Error('Connection terminated unexpectedly') }),
      'What answers at DATABASE_URL hangs up, as no Postgres does: correct DATABASE_URL, or see what stands in front of it',
    ],
    [fault({ code: '28P01' }), 'Postgres refuses the user or the password: correct DATABASE_URL'],
    [fault({ code: '3D000' }), 'Postgres has no such database: create it, or correct DATABASE_URL'],
    [
      new Error('wrapped', { cause: fault({ code: 'ECONNREFUSED', address: '127.0.0.1', port: 5432 }) }),
      'Postgres at 127.0.0.1:5432 cannot be reached (nothing answers there): start it, or correct DATABASE_URL',
    ],
    [
      new AggregateError([fault({ code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname: 'db.invalid' })], 'all failed'),
      'Postgres at db.invalid cannot be reached (there is no host of that name): start it, or correct DATABASE_URL',
    ],
    [fault({ code: 'ETIMEDOUT' }), 'Postgres cannot be reached (it does not answer): start it, or correct DATABASE_URL'],
  ])('%s', (error, line) => {
    expect(explain(error)).toBe(line);
  });

  it('shows the whole of what nobody foresaw', () => {
    const error = new TypeError('x is not a function');
    expect(explain(error)).toBe(error.stack);
    expect(explain('thrown text')).toBe('thrown text');
  });
});
