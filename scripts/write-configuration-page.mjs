import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkNode, ensureBuilt, ensureInstalled, root } from './prepare.mjs';

/** `npm run docs:configuration` */
checkNode();
ensureInstalled();
ensureBuilt();
const { configurationPage } = await import('../dist/libs/platform/src/index.js');
writeFileSync(join(root, 'docs', 'configuration.md'), configurationPage());
