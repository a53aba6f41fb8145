import { appendTo, completed, defineAgent, text } from 'chorus/agents';
import { card } from './_card.mjs';

const CHUNKS = 100;

/** Streams one artifact in a hundred chunks, as fast as it can; sdk-server.ts has the same. */
export default defineAgent({
  id: 'hundred',
  card: card('Hundred'),
  async *execute() {
    for (let n = 1; n <= CHUNKS; n += 1) yield appendTo('answer', text(`chunk ${n} of a text that a model would have written `));
    yield completed();
  },
});
