import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkNode, ensureBuilt, ensureInstalled, fail, root } from '../../scripts/prepare.mjs';

/** `npm run bench`: builds the product and the benchmark, and runs it. */
checkNode();
ensureInstalled();
if (!ensureBuilt()) fail('The build found errors, see above: mend them and try again');
const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const { status } = spawnSync(process.execPath, [tsc, '-p', join(root, 'test', 'bench')], { cwd: root, stdio: ['ignore', 2, 2] });
if (status !== 0) fail('The benchmark could not be built, see above');
await import(pathToFileURL(join(root, 'dist', 'test', 'bench', 'main.js')).href);
