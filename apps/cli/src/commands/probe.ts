import { Command } from 'commander';

export function probeCommand(): Command {
  return new Command('probe')
    .description('Check any A2A agent against the specification; probe --help tells the options.')
    .argument('[url]')
    .allowUnknownOption()
    .allowExcessArguments()
    .helpOption(false)
    .action(async () => {
      // The prober reads its own options: it is also a program without this one.
      const { runInTerminal } = await import('../probe/run-in-terminal.js');
      await runInTerminal(process.argv.slice(process.argv.indexOf('probe') + 1));
    });
}
