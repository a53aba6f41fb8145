import { integer, variable } from '../values.js';

const group = 'Limits of a request';

export const REQUEST_LIMITS = {
  bodyLimit: variable('BODY_LIMIT', integer(1024, 1_073_741_824, 'bytes'), {
    group,
    default: '10485760',
    description: 'Largest request body.',
  }),
  maxParts: variable('MAX_PARTS', integer(1, 100_000), {
    group,
    default: '1000',
    description: 'Most parts of a message.',
  }),
  maxMetadataDepth: variable('MAX_METADATA_DEPTH', integer(1, 30), {
    group,
    default: '30',
    description: 'Deepest nesting of metadata and data parts. What is deeper could not be read back by protobuf clients.',
  }),
  maxIdLength: variable('MAX_ID_LENGTH', integer(36, 1024, 'characters'), {
    group,
    default: '256',
    description: 'Longest message, task and context id.',
  }),
} as const;
