import { build } from './prepare.mjs';

/** `npm run build` */
process.exitCode = build() ? 0 : 1;
