/** Asks the process of this container, an API or a worker, whether it lives. */
const ports = [process.env.PORT ?? 3000, process.env.WORKER_HEALTH_PORT ?? 3001];
const answers = await Promise.allSettled(
  ports.map((port) => fetch(`http://127.0.0.1:${port}/livez`, { signal: AbortSignal.timeout(4000) })),
);
process.exit(answers.some(({ value }) => value?.ok) ? 0 : 1);
