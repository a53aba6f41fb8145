import { folder, identifier, integer, milliseconds, optional, required, url, variable } from '../values.js';

const group = 'Storage';

export const STORAGE = {
  databaseUrl: required('DATABASE_URL', url('postgres:', 'postgresql:'), {
    group,
    description: 'The Postgres database. `npm start` brings its own unless this is set.',
  }),
  databasePoolSize: variable('DATABASE_POOL_SIZE', integer(1, 500, 'connections'), {
    group,
    default: '8',
    description: 'Connections of a process for sending, executing and reading tasks.',
  }),
  databaseListPoolSize: variable('DATABASE_LIST_POOL_SIZE', integer(1, 500, 'connections'), {
    group,
    default: '4',
    description: 'Connections of a process for lists and other queries that may take longer.',
  }),
  statementTimeoutMs: variable('STATEMENT_TIMEOUT_MS', milliseconds(100), {
    group,
    default: '10000',
    description: 'How long a process waits for the answer to a statement before it takes the database for unreachable.',
  }),
  redisUrl: optional('REDIS_URL', url('redis:', 'rediss:'), {
    group,
    description: 'Redis or Valkey. Without it the queue and the live events run on Postgres alone.',
  }),
  redisPrefix: variable('REDIS_PREFIX', identifier, {
    group,
    default: 'chorus',
    description: 'First word of every key and channel in Redis, so that installations can share one.',
  }),
  dataDir: variable('CHORUS_DATA_DIR', folder, {
    group,
    default: '.chorus',
    description: 'Where `npm start` keeps the data of the servers that it brings.',
  }),
} as const;
