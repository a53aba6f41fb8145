import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '#platform';
import { FORWARDED } from './origin.js';

it('the proxy that is shipped sets every header that is believed of it', () => {
  const settings = readFileSync(join(projectRoot, 'deploy', 'nginx', 'nginx.conf'), 'utf8').toLowerCase();
  for (const name of FORWARDED) expect(settings).toMatch(new RegExp(`^ *proxy_set_header ${name} \\S+;$`, 'm'));
});
