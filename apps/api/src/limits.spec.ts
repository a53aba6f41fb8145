import { loadConfig } from '#platform';
import { DEFAULT_LIMITS } from '#protocol';
import { limitsOf } from './api.module.js';

it('a host that configures nothing has the limits that the protocol library reasons for', () => {
  expect(limitsOf(loadConfig({ DATABASE_URL: 'postgres://localhost/chorus' }))).toEqual(DEFAULT_LIMITS);
});
