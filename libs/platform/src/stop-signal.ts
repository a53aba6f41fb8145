/**
 * Resolves at the first SIGTERM or SIGINT. The same one again ends the process at once: it does not wait for the drain. The other
 * kind waits for it: a terminal's Ctrl-C reaches every process, and a supervisor asks its children once more.
 */
export function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      let asked = false;
      process.on(signal, () => {
        if (asked) process.exit(1);
        asked = true;
        resolve();
      });
    }
  });
}
