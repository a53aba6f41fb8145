/** Resolves when what it stands for works; rejects with the reason when it does not. */
export type Check = () => Promise<void>;

export interface Readiness {
  readonly ready: boolean;
  /** `ok`, or what is wrong, by the name of the check. */
  readonly checks: Readonly<Record<string, string>>;
}

/** Asks all checks at once; none may take longer than `deadlineMs`. */
export async function readinessOf(checks: Readonly<Record<string, Check>>, deadlineMs: number): Promise<Readiness> {
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]): Promise<[string, string]> => [name, await stateOf(check, deadlineMs)]),
  );
  return { ready: results.every(([, state]) => state === 'ok'), checks: Object.fromEntries(results) };
}

async function stateOf(check: Check, deadlineMs: number): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${deadlineMs} ms`), deadlineMs);
  });
  const asked = check().then(
    () => 'ok',
    (error: unknown) => (error instanceof CheckFailure ? error.message : 'not reachable'),
  );
  return Promise.race([asked, late]).finally(() => clearTimeout(timer));
}

/** A check failed for a reason that may be shown to anyone who can reach `/readyz`. */
export class CheckFailure extends Error {}
