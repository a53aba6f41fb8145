import type { AgentRegistry, AnnouncedAgent } from '../ports/agent-registry.js';
import { AgentDirectory } from './agent-directory.js';

const agentOf = (id: string): AnnouncedAgent => ({ id }) as AnnouncedAgent;

function directoryOf(ids: readonly string[], defaultAgent?: string) {
  const state = { ids, now: 0, reads: 0, down: false };
  const list = async (): Promise<AnnouncedAgent[]> => {
    state.reads++;
    if (state.down) throw new Error('down');
    return state.ids.map(agentOf);
  };
  const options = { now: () => state.now, ...(defaultAgent === undefined ? {} : { defaultAgent }) };
  return { state, directory: new AgentDirectory({ list } as unknown as AgentRegistry, options) };
}

describe('AgentDirectory', () => {
  it('reads the registry once a second, however many ask', async () => {
    const { state, directory } = directoryOf(['a']);
    await Promise.all([directory.find('a'), directory.find('a'), directory.find('b').catch(() => undefined)]);
    await directory.find('a');
    expect(state.reads).toBe(1);
    state.now = 999;
    await directory.find('a');
    expect(state.reads).toBe(1);
    state.now = 1000;
    await directory.find('a');
    expect(state.reads).toBe(2);
  });

  it('looks again for an agent that it does not know, but not more often than ten times a second', async () => {
    const { state, directory } = directoryOf(['a']);
    await directory.find('a');
    state.ids = ['a', 'b'];
    state.now = 99;
    await expect(directory.find('b')).rejects.toThrow('Agent not found: b');
    expect(state.reads).toBe(1);
    state.now = 100;
    expect((await directory.find('b')).id).toBe('b');
    expect(state.reads).toBe(2);
  });

  it('keeps the last list while the registry is away, and rejects when there is none', async () => {
    const { state, directory } = directoryOf(['a']);
    state.down = true;
    await expect(directory.find('a')).rejects.toThrow('down');
    state.down = false;
    await directory.find('a');
    state.down = true;
    state.now = 5000;
    expect((await directory.find('a')).id).toBe('a');
  });

  it.each([
    [['a'], undefined, 'a'],
    [['a', 'b'], 'b', 'b'],
  ])('takes of %j with the default %s: %s', async (ids, defaultAgent, expected) => {
    expect((await directoryOf(ids, defaultAgent).directory.findDefault()).id).toBe(expected);
  });

  it.each([
    [[], undefined, 'no worker has announced'],
    [['a', 'b'], undefined, 'CHORUS_DEFAULT_AGENT'],
    [['a'], 'z', 'Agent not found: z'],
  ])('of %j with the default %s says: %s', async (ids, defaultAgent, text) => {
    await expect(directoryOf(ids, defaultAgent).directory.findDefault()).rejects.toThrow(text);
  });
});
