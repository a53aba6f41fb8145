import { choice, variable } from '../values.js';

const group = 'Logs';

export const LOGS = {
  logLevel: variable('LOG_LEVEL', choice('debug', 'info', 'warn', 'error', 'silent'), {
    group,
    default: 'info',
    description: 'Least level that is written.',
  }),
  logFormat: variable('LOG_FORMAT', choice('json', 'pretty'), {
    group,
    default: 'json',
    description: 'One JSON object a line, or one line for a person.',
  }),
} as const;
