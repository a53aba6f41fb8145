import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../prepare.mjs';
import { conformancePage } from './page.mjs';
import { readResults } from './results.mjs';

/** `npm run docs:conformance`: the page anew, from the results that are there. */
writeFileSync(join(root, 'docs', 'conformance.md'), conformancePage(readResults()));
