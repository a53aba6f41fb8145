import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BadAgentError, loadAgents } from './load-agents.js';

const CARD = `{ name: 'A', description: 'A', version: '1', defaultInputModes: ['text'], defaultOutputModes: ['text'], skills: [{ id: 'a', name: 'A', description: 'A', tags: ['a'] }] }`;
const agent = (id: string, card = CARD): string =>
  `import { defineAgent } from 'chorus/agents';
  export default defineAgent({ id: '${id}', card: ${card}, async *execute() {} });`;
const BY_HAND = `export default { id: 'a/b', card: {}, policy: { recovery: 'retry', maxAttempts: 3 }, executor: { async *execute() {} } };`;

describe('loadAgents', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'agents with a space '));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const files = async (contents: Record<string, string>): Promise<void> => {
    for (const [name, text] of Object.entries(contents)) await writeFile(join(directory, name), text);
  };

  it('loads one agent per file, sorted by id, and leaves out what is none', async () => {
    await files({
      'a.mjs': agent('zeta'),
      'b.mjs': agent('alpha'),
      'b.ts': 'not loaded',
      'c.spec.mjs': '!',
      'd.d.ts': '!',
      'README.md': '!',
    });
    expect((await loadAgents([directory], directory)).map(({ id }) => id)).toEqual(['alpha', 'zeta']);
  });

  it.each([
    ['does not parse', { 'bad.mjs': 'export default {{' }, /bad\.mjs cannot be loaded: /],
    ['throws', { 'bad.mjs': "throw new Error('no key\\nsecond line')" }, /bad\.mjs cannot be loaded: no key$/],
    ['exports nothing', { 'bad.mjs': 'export const a = 1' }, /bad\.mjs does not export an agent by default/],
    ['exports something else', { 'bad.mjs': 'export default { id: "x" }' }, /bad\.mjs does not export an agent by default/],
    ['exports an agent that nobody has checked', { 'bad.mjs': BY_HAND }, /bad\.mjs does not export an agent by default/],
    [
      'exports a changed copy of an agent',
      { 'bad.mjs': `${agent('x').replace('export default', 'const agent =')} export default { ...agent, id: 'a/b' };` },
      /bad\.mjs does not export an agent by default/,
    ],
    [
      'has a bad card',
      { 'bad.mjs': agent('x', `{ ...${CARD}, version: 1, streaming: true }`) },
      /bad\.mjs cannot be loaded: The agent card is not valid: version: [^;]+; .*streaming/,
    ],
    ['has an id that cannot be', { 'bad.mjs': agent('a/b') }, /bad\.mjs cannot be loaded: "a\/b" cannot be an agent's id/],
    ['has the id of another', { 'a.mjs': agent('x'), 'bad.mjs': agent('x') }, /bad\.mjs: the agent id "x" is taken by .*a\.mjs$/],
  ])('a file that %s stops with one line that names it', async (_, contents, line) => {
    await files(contents);
    const error = (await loadAgents([directory], directory).catch((err: unknown) => err)) as BadAgentError;
    expect(error).toBeInstanceOf(BadAgentError);
    expect(error.message).toMatch(line);
    expect(error.message).not.toContain('\n');
  });

  it('loads files that are named, and lists of agents', async () => {
    await files({ 'a.mjs': agent('a'), 'b.mjs': `${agent('b').replace('export default', 'const b =')} export default [b];` });
    expect((await loadAgents(['b.mjs', join(directory, 'a.mjs')], directory)).map(({ id }) => id)).toEqual(['a', 'b']);
    await files({ 'none.mjs': 'export default [];' });
    await expect(loadAgents(['none.mjs'], directory)).rejects.toThrow('does not export an agent by default');
  });

  it('names a folder that is not there', async () => {
    await expect(loadAgents(['./none'], directory)).rejects.toThrow(`${join(directory, 'none')} is not there`);
  });
});
