import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RESULTS_FOLDER } from './provenance.mjs';

/** The parts of the evidence; each has a file of its name, with a date and a commit of its own. */
export const PARTS = ['kit', 'probe', 'suites', 'interop'];

export const fileOf = (part) => join(RESULTS_FOLDER, `${part}.json`);

/** The results in `docs/conformance`. Throws when a part was never run. */
export function readResults() {
  const missing = PARTS.filter((part) => !existsSync(fileOf(part)));
  if (missing.length > 0)
    throw new Error(`there are no results of ${missing.join(', ')}: npm run conformance -- ${missing.join(' ')}`);
  return Object.fromEntries(PARTS.map((part) => [part, JSON.parse(readFileSync(fileOf(part), 'utf8'))]));
}
