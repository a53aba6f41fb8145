const LOOK_MS = 500;

/**
 * npm runs a script in a shell, and neither passes a SIGTERM on: who ends npm would leave this process running, with nobody to
 * know of it. So it ends in order when its parent is gone. Does nothing where npm is not the one who started it.
 */
export function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  timer.unref();
}
