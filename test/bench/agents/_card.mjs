/** The least that a card must say. */
export const card = (name) => ({
  name,
  description: `${name}, an agent for the benchmark`,
  version: '1.0.0',
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: name.toLowerCase(), name, description: name, tags: ['benchmark'] }],
});
