import { onOff, variable } from '../values.js';

const group = 'Protocol';

export const PROTOCOL = {
  serveV03: variable('A2A_V03', onOff, {
    group,
    default: 'on',
    description:
      'Whether A2A 0.3 is served beside 1.0: its requests, and its fields and interfaces in agent cards. Off: a request that names no version is refused.',
  }),
} as const;
