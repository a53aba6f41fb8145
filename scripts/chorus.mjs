import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { endWithNpm } from './end-with-npm.mjs';
import { checkNode, ensureBuilt, ensureInstalled, fail, root } from './prepare.mjs';

/** `npm run -s chorus -- <command>` */
checkNode();
ensureInstalled();
if (!ensureBuilt()) fail('The build found errors, see above: mend them and try again');
const main = join(root, 'dist', 'apps', 'cli', 'src', 'main.js');
process.argv[1] = main;
endWithNpm();
await import(pathToFileURL(main).href);
