import { completed, defineAgent, textOf } from 'chorus/agents';

/** Says back what it was told. */
export default defineAgent({
  id: 'echo',
  card: {
    name: 'Echo',
    description: 'Says back what it was told.',
    version: '1.0.0',
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'echo', name: 'Echo', description: 'Repeats a text.', tags: ['sample'], examples: ['hello'] }],
  },
  async *execute({ message }) {
    yield completed(`echo: ${textOf(message)}`);
  },
});
