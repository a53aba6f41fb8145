import { CheckFailure, type Check } from './readiness.js';

/** What this process needs in order to answer requests. */
export class HealthChecks {
  #closing = false;

  constructor(private readonly checks: Readonly<Record<string, Check>>) {}

  /** From here on this process asks for no more requests. */
  close(): void {
    this.#closing = true;
  }

  all(): Readonly<Record<string, Check>> {
    return {
      ...this.checks,
      process: async () => {
        if (this.#closing) throw new CheckFailure('shutting down');
      },
    };
  }
}
