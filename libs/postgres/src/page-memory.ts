import { LRUCache } from 'lru-cache';

/** A page of a list as it was read: its text may be used again for as long as the table says the same mark. */
export interface RememberedPage<Page> {
  readonly mark: string;
  /** The last two reads found it with this mark. */
  readonly steady: boolean;
  readonly page: Page;
}

/** Of all lists of a process together, in characters. */
const MOST_CHARACTERS = 8 * 1024 * 1024;
/** One page of large statuses is not to push all others out. */
const MOST_OF_A_PAGE = 256 * 1024;

/** The pages that were read last. What they show is never shown again unasked: the table is asked whether a page is still what it was. */
export class PageMemory<Page extends { readonly tasks: string }> {
  readonly #pages = new LRUCache<string, RememberedPage<Page>>({
    maxSize: MOST_CHARACTERS,
    maxEntrySize: MOST_OF_A_PAGE,
    sizeCalculation: ({ page }, key) => key.length + page.tasks.length + 1,
  });

  get(list: string): RememberedPage<Page> | undefined {
    return this.#pages.get(list);
  }

  set(list: string, remembered: RememberedPage<Page>): void {
    this.#pages.set(list, remembered);
  }
}
