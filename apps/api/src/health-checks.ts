import { within, type AnnouncedAgent } from '#core';
import { CheckFailure, readinessOf, type Check, type Readiness } from './readiness.js';

/** No answer about the health of a process may take longer. */
const DEADLINE_MS = 2000;

export interface HealthReport extends Readiness {
  /** Every announced agent with its live workers; absent when nobody can tell. */
  readonly agents?: Readonly<Record<string, { readonly workers: number }>>;
}

/** What this process needs in order to answer requests, and who runs what it accepts. */
export class HealthChecks {
  #closing = false;

  constructor(
    private readonly checks: Readonly<Record<string, Check>>,
    private readonly listAgents: () => Promise<readonly AnnouncedAgent[]>,
  ) {}

  /** From here on this process asks for no more requests. */
  close(): void {
    this.#closing = true;
  }

  /** Could a request be answered now? */
  async isReady(): Promise<boolean> {
    return (await this.#readiness()).ready;
  }

  /** An agent without workers is no reason to be not ready: its tasks are accepted and wait. */
  async report(): Promise<HealthReport> {
    const [readiness, agents] = await Promise.all([this.#readiness(), this.#agents()]);
    return agents === undefined ? readiness : { ...readiness, agents };
  }

  #readiness(): Promise<Readiness> {
    const process = async (): Promise<void> => {
      if (this.#closing) throw new CheckFailure('shutting down');
    };
    return readinessOf({ ...this.checks, process }, DEADLINE_MS);
  }

  async #agents(): Promise<HealthReport['agents']> {
    let listed: readonly AnnouncedAgent[] | undefined;
    await within(
      this.listAgents().then((agents) => (listed = agents)),
      DEADLINE_MS,
    );
    return listed && Object.fromEntries(listed.map(({ id, workers }) => [id, { workers }]));
  }
}
