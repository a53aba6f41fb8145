import { testRedisUrl } from './servers/test-database.js';

/** A suite that needs the runner's Redis. Where there is none it is reported as skipped, under its name. */
export function describeWithRedis(name: string, suite: (url: string) => void): void {
  const url = testRedisUrl();
  if (url === undefined) describe.skip(name, () => suite(''));
  else describe(name, () => suite(url));
}
