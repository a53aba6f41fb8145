import type { BindingName } from './bindings/binding.js';
import type { Requirement } from './check.js';

export type Status = 'passed' | 'failed' | 'skipped';

export interface CheckResult {
  readonly id: string;
  readonly binding?: BindingName;
  readonly group: string;
  readonly title: string;
  readonly requirement: Requirement;
  readonly section: string;
  readonly status: Status;
  /** Why it failed or was skipped. */
  readonly reason?: string;
  /** What the agent sent. */
  readonly evidence?: string;
  /** What to do about a failure. */
  readonly mend?: string;
  readonly durationMs: number;
}

/** What `--json` prints. */
export interface Report {
  readonly url: string;
  readonly cardUrl: string;
  readonly agent: string;
  readonly agentVersion: string;
  readonly specification: string;
  readonly startedAt: string;
  readonly durationMs: number;
  readonly sideEffects: boolean;
  readonly interfaces: readonly {
    readonly url: string;
    readonly protocolBinding: string;
    readonly protocolVersion: string;
    readonly notProbed?: string;
  }[];
  readonly results: readonly CheckResult[];
}

/** `failed` are the required ones: they decide. `warnings` are SHOULD, MAY and INFO that do not hold. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly warnings: number;
  readonly skipped: number;
}

export const isRequired = ({ requirement }: Pick<CheckResult, 'requirement'>): boolean => requirement === 'MUST';

export function countsOf({ results }: Report): Counts {
  const count = (wanted: (result: CheckResult) => boolean): number => results.filter(wanted).length;
  return {
    passed: count(({ status }) => status === 'passed'),
    failed: count((result) => result.status === 'failed' && isRequired(result)),
    warnings: count((result) => result.status === 'failed' && !isRequired(result)),
    skipped: count(({ status }) => status === 'skipped'),
  };
}
