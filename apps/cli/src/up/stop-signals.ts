/** One Ctrl-C reaches this process twice, from the terminal and from npm; a person needs longer for two. */
const ONE_KEYSTROKE_MS = 700;

export interface StopSignals {
  /** Resolves at the first SIGINT, SIGTERM or SIGHUP. */
  readonly first: Promise<void>;
  /** Resolves when one comes again: do not wait any longer. */
  readonly second: Promise<void>;
  stopping(): boolean;
}

export function stopSignals(now: () => number = () => performance.now()): StopSignals {
  let asked: number | undefined;
  let resolveFirst = (): void => undefined;
  let resolveSecond = (): void => undefined;
  const first = new Promise<void>((resolve) => (resolveFirst = resolve));
  const second = new Promise<void>((resolve) => (resolveSecond = resolve));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (asked === undefined) {
        asked = now();
        resolveFirst();
      } else if (now() - asked > ONE_KEYSTROKE_MS) resolveSecond();
    });
  }
  return { first, second, stopping: () => asked !== undefined };
}
