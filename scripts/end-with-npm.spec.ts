import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const module = pathToFileURL(join(import.meta.dirname, 'end-with-npm.mjs')).href;
/** Says that it runs, and then runs for ever. */
const SCRIPT = `import('${module}').then(({ endWithNpm }) => { endWithNpm(); console.log('runs'); setInterval(() => {}, 1000); })`;

it('ends the process when the shell that npm ran it in is killed', async () => {
  const shell = spawn('sh', ['-c', `"${process.execPath}" -e "${SCRIPT}"; true`], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: process.env['PATH'], npm_lifecycle_event: 'start' },
  });
  await once(shell.stdout, 'data');
  shell.kill('SIGKILL');
  // The pipe is open for as long as the process that inherited it lives.
  await once(shell.stdout, 'close');
});
