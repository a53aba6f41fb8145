import { runProbe } from '#probe';

/** Runs the prober on this terminal; colours where it has them, and `NO_COLOR` is not set. */
export async function runInTerminal(args: readonly string[]): Promise<void> {
  process.exitCode = await runProbe(args, {
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    colour: process.stdout.isTTY === true && process.stdout.hasColors(),
  });
}
