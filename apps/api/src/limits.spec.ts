import { loadConfig } from '#platform';
import { DEFAULT_LIMITS, LIMIT_VARIABLES } from '#protocol';
import { limitsOf } from './api.module.js';

it('a host that configures nothing has the limits that the protocol library reasons for', () => {
  expect(limitsOf(loadConfig({ DATABASE_URL: 'postgres://localhost/chorus' }))).toEqual(DEFAULT_LIMITS);
});

it.each([
  ['maxParts', 7],
  ['maxMetadataDepth', 7],
  ['maxIdLength', 70],
] as const)('what a client is told of %s is the variable that sets it', (limit, value) => {
  const config = loadConfig({ DATABASE_URL: 'postgres://localhost/chorus', [LIMIT_VARIABLES[limit]]: String(value) });
  expect(limitsOf(config)).toEqual({ ...DEFAULT_LIMITS, [limit]: value });
});
