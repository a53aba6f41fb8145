import { ask, defineAgent, textOf } from 'chorus/agents';
import { card } from './_card.mjs';

/** Says what it is told and asks for more: its tasks never end, and whoever watches one stays. */
export default defineAgent({
  id: 'asks',
  card: card('Asks'),
  async *execute({ message }) {
    yield ask(textOf(message));
  },
});
