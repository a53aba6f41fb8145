/** Long enough to hand running turns back, short enough that the databases of `up` are still there. */
const PATIENCE_MS = 4000;

/** Ends this process in order when the process that supervises it is gone, also by SIGKILL. Without a supervisor: nothing. */
export function endWithParent(): void {
  if (!process.connected) return;
  process.on('disconnect', () => {
    setTimeout(() => process.exit(1), PATIENCE_MS).unref();
    process.kill(process.pid, 'SIGTERM');
  });
  // Listening for the end of the channel must not keep a process alive that is done.
  process.channel?.unref();
}
