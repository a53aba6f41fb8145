import { Command, Option } from 'commander';

/** As `SIGNING_ALGORITHMS` of #signing, which is loaded only when it is needed. */
const ALGORITHMS = ['ES256', 'RS256', 'EdDSA'] as const;

export function cardCommand(): Command {
  return new Command('card')
    .description('Keys and signatures of agent cards; docs/signed-cards.md says more.')
    .addCommand(keygenCommand())
    .addCommand(verifyCommand());
}

function keygenCommand(): Command {
  return new Command('keygen')
    .description('Make a private key that the API can sign agent cards with.')
    .addOption(new Option('--algorithm <name>', 'what it signs with').choices(ALGORITHMS).default('ES256'))
    .option('--out <file>', 'a new file to write it to, for its owner alone; standard output without')
    .action(async ({ algorithm, out }: { algorithm: (typeof ALGORITHMS)[number]; out?: string }) => {
      const { makeKey } = await import('../card/make-key.js');
      await makeKey(algorithm, out);
    });
}

function verifyCommand(): Command {
  return new Command('verify')
    .description('Verify the signatures of an agent card. The exit code is 0 when at least one is valid.')
    .argument('<url>', "of the card, or the agent's base")
    .option('--jwks <url>', 'where the keys are that you trust; without it: those that the card names, on its own origin')
    .action(async (url: string, { jwks }: { jwks?: string }) => {
      const { verifyCardAt } = await import('../card/verify-card-at.js');
      const { verified, lines } = await verifyCardAt(url, jwks);
      for (const line of lines) console.log(line);
      if (!verified) process.exitCode = 1;
    });
}
