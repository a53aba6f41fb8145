import { runInTerminal } from './run-in-terminal.js';

/** What `dist/probe.mjs` is made of: the prober without the rest of the command line. */
await runInTerminal(process.argv.slice(2));
