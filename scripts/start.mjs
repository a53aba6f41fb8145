import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { endWithNpm } from './end-with-npm.mjs';
import { checkNode, ensureBuilt, ensureInstalled, fail, root } from './prepare.mjs';

/** `npm start`: from a fresh clone to a running system. */
checkNode();
ensureInstalled();
if (!ensureBuilt()) fail('The build found errors, see above: mend them and start again');

// In this process: one more between the terminal and the supervisor would get every Ctrl-C too.
const main = join(root, 'dist', 'apps', 'cli', 'src', 'main.js');
process.argv = [process.execPath, main, 'up', ...process.argv.slice(2)];
endWithNpm();
await import(pathToFileURL(main).href);
