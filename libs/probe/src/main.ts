import { writeFileSync } from 'node:fs';
import { parseCommandLine, USAGE, UsageError } from './command-line.js';
import { probe } from './probe.js';
import { countsOf } from './report.js';
import { htmlReport } from './report/html.js';
import { junitReport } from './report/junit.js';
import { summary, textReport } from './report/text.js';
import { UnreachableError } from './target.js';

/** Where the command prints to. */
export interface Output {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly colour: boolean;
}

/** The `probe` command. Answers with its exit code: 0 all that is required holds, 1 something does not, 2 it could not be told. */
export async function runProbe(args: readonly string[], { out, err, colour }: Output): Promise<number> {
  try {
    const commandLine = parseCommandLine(args);
    if (!commandLine) {
      out(`${USAGE}\n`);
      return 0;
    }
    const report = await probe(commandLine.options);
    if (commandLine.junit !== undefined) writeFileSync(commandLine.junit, junitReport(report));
    if (commandLine.html !== undefined) writeFileSync(commandLine.html, htmlReport(report));
    out(commandLine.json ? `${JSON.stringify(report, null, 2)}\n` : textReport(report, colour));
    const { failed, passed } = countsOf(report);
    if (failed === 0 && passed === 0) {
      err(`probe: no check ran (${summary(report)})\n`);
      return 2;
    }
    return failed === 0 ? 0 : 1;
  } catch (error) {
    if (!(error instanceof UnreachableError || error instanceof UsageError || isFileError(error))) throw error;
    err(`probe: ${error.message}\n${error instanceof UsageError ? 'probe --help tells the options.\n' : ''}`);
    return 2;
  }
}

const isFileError = (error: unknown): error is NodeJS.ErrnoException => error instanceof Error && 'syscall' in error;
