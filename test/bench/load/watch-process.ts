import { Watchers, type WatchJob } from './watchers.js';

/** What the process of the watchers is asked, one after the other. */
export type WatchRequest = { readonly open: WatchJob } | { readonly hear: string };

let watchers: Watchers | undefined;

/** The watchers' own process: a request in, its result out, or what went wrong. */
process.on('message', (request: WatchRequest) => {
  void answer(request).then(
    (result) => process.send?.({ result }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});

async function answer(request: WatchRequest): Promise<unknown> {
  if ('hear' in request) return watchers?.hear(request.hear);
  watchers = new Watchers(request.open);
  return watchers.open();
}

// Streams would keep it alive.
process.once('disconnect', () => process.exit());
