import type { AgentDefinition } from '../ports/agent-registry.js';
import { fitsFilter, type AgentFilter } from './agent-filter.js';

const AGENT: AgentDefinition = {
  id: 'geo',
  card: {
    name: 'Geographer',
    description: 'Knows where Things are',
    version: '1.0.0',
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['application/json'],
    capabilities: { extensions: [{ uri: 'urn:e1' }, { uri: 'urn:e2' }] },
    skills: [
      { id: 'route', name: 'Routes', description: 'Finds a way', tags: ['maps', 'travel'], examples: ['From Bern to Basel'] },
      { id: 'draw', name: 'Maps', description: 'Draws', tags: ['maps', 'pictures'], outputModes: ['image/png'] },
    ],
  },
  policy: { recovery: 'retry', maxAttempts: 3 },
  answers: 'task',
};

describe('fitsFilter', () => {
  it.each<[string, AgentFilter]>([
    ['nothing', {}],
    ['a skill', { skill: ['draw'] }],
    ['two skills', { skill: ['draw', 'route'] }],
    ['tags of several skills', { tag: ['travel', 'pictures'] }],
    ['what it takes', { mode: ['text/plain'] }],
    ['what it makes, and what one skill makes', { mode: ['application/json', 'image/png'] }],
    ['an extension', { extension: ['urn:e2'] }],
    ['a word of its id', { q: ['geo'] }],
    ['words of its description and of an example, in any case', { q: ['things BERN'] }],
    ['one of each', { skill: ['route'], tag: ['maps'], mode: ['text/plain'], extension: ['urn:e1'], q: ['way'] }],
  ])('yes: %s', (_, filter) => {
    expect(fitsFilter(AGENT, filter)).toBe(true);
  });

  it.each<[string, AgentFilter]>([
    ['a skill that it has not', { skill: ['sing'] }],
    ['a part of a skill’s id', { skill: ['rout'] }],
    ['one of two skills', { skill: ['route', 'sing'] }],
    ['a tag as a skill', { skill: ['maps'] }],
    ['a mode that it has not', { mode: ['image/jpeg'] }],
    ['an extension that it has not', { extension: ['urn:e3'] }],
    ['one of two words', { q: ['geo nowhere'] }],
    ['all but one', { skill: ['route'], tag: ['none'] }],
  ])('no: %s', (_, filter) => {
    expect(fitsFilter(AGENT, filter)).toBe(false);
  });

  it('an agent that declares no extension has none', () => {
    const { capabilities: _, ...card } = AGENT.card;
    expect(fitsFilter({ ...AGENT, card }, { extension: ['urn:e1'] })).toBe(false);
  });
});
