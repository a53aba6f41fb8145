import { within } from '#core';
import { GuardedFetch } from '#outbound';
import { type Config, createLogger, loadConfig, stopSignal } from '#platform';
import { NestFactory } from '@nestjs/core';
import { Connections } from './connections.js';
import { hostedAgents } from './hosted-agents.js';
import { Worker } from './worker.js';
import { WorkerModule } from './worker.module.js';

/**
 * Runs a worker until SIGTERM or SIGINT, drains it, and ends the process; the same signal again ends it at once. Rejects, with
 * nothing left running, when it cannot start: the errors of configuration, agents and migrations have messages for whoever started it.
 */
export async function runWorker(): Promise<void> {
  const stopping = stopSignal();
  const worker = await startWorker(loadConfig());
  await stopping;
  await worker.stop();
  // An executor that ignores its abort may hold the event loop for as long as it likes.
  process.exit(0);
}

/** Connections to a server that does not answer are not waited for. */
const CLOSE_MS = 2000;

export interface RunningWorker {
  /** Drains and closes everything; resolves within the drain time and a few seconds. */
  stop(): Promise<void>;
}

/** Starts a worker in this process. */
export async function startWorker(config: Config): Promise<RunningWorker> {
  const logger = createLogger('worker', config);
  const agents = await hostedAgents(config);
  const onRejection = (err: unknown): void =>
    logger.error('A promise was rejected and nobody listened; an agent left it behind', { err });
  process.on('unhandledRejection', onRejection);
  const app = await NestFactory.createApplicationContext(WorkerModule.with(config, agents, logger), {
    logger: false,
    abortOnError: false,
  });
  const close = async (): Promise<void> => {
    await within(Promise.all([app.get(Connections).close(), app.get(GuardedFetch).close()]), CLOSE_MS);
    await app.close();
    process.off('unhandledRejection', onRejection);
  };
  const stop = async (): Promise<void> => {
    await app.get(Worker).stop();
    await close();
  };
  try {
    await app.get(Connections).check();
    await app.get(Worker).start();
  } catch (err) {
    await stop();
    throw err;
  }
  return { stop };
}
