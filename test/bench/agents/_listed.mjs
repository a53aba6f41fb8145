import { completed, defineAgent, textOf } from 'chorus/agents';
import { card } from './_card.mjs';

/** An agent whose tasks are only loaded and listed; an agent of its own for each size, so that no other run adds to its list. */
export const listed = (id) =>
  defineAgent({
    id,
    card: card(id),
    async *execute({ message }) {
      yield completed(`echo: ${textOf(message)}`);
    },
  });
