import { explain } from '../explain.js';
import type { System } from './system.js';
import { watchFiles } from './watch-files.js';

/** Has new workers take over whenever a file below `paths` changes, and says so. For as long as the process lives. */
export function reloadOnChange(system: Pick<System, 'reloadWorkers'>, paths: readonly string[]): void {
  console.log(`Watching ${paths.join(', ')} …`);
  watchFiles(paths, async () => {
    try {
      await system.reloadWorkers();
      console.log('The agents were loaded anew.');
    } catch (error) {
      console.error(`chorus: ${explain(error)}\nThe agents from before stay at work.`);
    }
  });
}
