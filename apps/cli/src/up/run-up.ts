import { watchedPaths } from '#loader';
import {
  createLogger,
  environmentWith,
  loadLaunchConfig,
  overrideEnvironment,
  projectRoot,
  requireSafeAddress,
  type Environment,
} from '#platform';
import { OutboundPolicy } from '#outbound';
import { reloadOnChange } from './reload-on-change.js';
import { stopSignals } from './stop-signals.js';
import { System } from './system.js';

/** On a laptop nobody waits half a minute after Ctrl-C; what is not done by then is handed back, and done at the next start. */
const LAPTOP_DEFAULTS: Environment = {
  LOG_LEVEL: 'warn',
  LOG_FORMAT: process.stdout.isTTY ? 'pretty' : 'json',
  DRAIN_MS: '3000',
};
/** What ending the databases may take when somebody is in a hurry. */
const HURRY_MS = 3000;

export interface UpOptions {
  readonly workers: number;
  /** New workers take over when files of the agents change. */
  readonly reloads?: boolean;
}

/**
 * Runs the whole system until a signal comes, and ends the process. Whatever happens, nothing that it started goes on after it.
 * @throws when the system cannot start, with nothing left running
 */
export async function runUp({ workers, reloads = false }: UpOptions): Promise<void> {
  const defaults = reloads ? { ...LAPTOP_DEFAULTS, CHORUS_AGENTS: 'agents' } : LAPTOP_DEFAULTS;
  const chosen = environmentWith({});
  overrideEnvironment(Object.fromEntries(Object.entries(defaults).filter(([name]) => !chosen[name])));
  const config = loadLaunchConfig();
  requireSafeAddress(config);
  // Told of before anything is started.
  new OutboundPolicy(config.outboundAllow);
  const system = new System(config, workers, createLogger('up', config));
  const signals = stopSignals();
  void signals.second.then(() => {
    system.kill();
    setTimeout(() => process.exit(1), HURRY_MS);
  });
  void signals.first.then(async () => {
    console.log('\nStopping …');
    await system.stop();
    process.exit(0);
  });
  try {
    await system.start();
  } catch (error) {
    // Stopped while it was starting: that it did not start is no fault then.
    if (signals.stopping()) return;
    await system.stop();
    throw error;
  }
  if (!signals.stopping()) console.log(await system.describe());
  if (reloads) reloadOnChange(system, watchedPaths(config.agents, projectRoot));
}
