import { appendTo, artifact, ask, completed, data, reject, text, type HostedAgent, type Message, type Task } from 'chorus/agents';
import { eventsOf, TestMemory } from 'chorus/agents/testing';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DOCS = join(import.meta.dirname, '..', 'docs', 'writing-agents.md');
const README = join(import.meta.dirname, '..', 'README.md');

const blocksOf = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code as string);

const messageOf = (content: string, role: Message['role'] = 'ROLE_USER'): Message => ({
  messageId: content,
  role,
  parts: [text(content)],
});

/** The samples of the documentation, as they are written there: each in a file of its own, called as its agent is. */
describe('documented agents', () => {
  let folder = '';
  const agents = new Map<string, HostedAgent>();
  const others: string[] = [];
  const fragments: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'documented-'));
    for (const code of [...blocksOf(README), ...blocksOf(DOCS)]) {
      // Some options, to be put into an agent: the sample before it.
      if (/^\w+: /.test(code)) {
        fragments.push(code);
        continue;
      }
      const id = /^ {2}id: '([\w-]+)',$/m.exec(code)?.[1];
      const file = join(folder, `${id ?? `other-${others.length}`}.ts`);
      writeFileSync(file, code);
      if (id === undefined) others.push(file);
      else agents.set(id, ((await import(file)) as { default: HostedAgent }).default);
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const agentOf = (id: string): HostedAgent => {
    const agent = agents.get(id);
    if (!agent) throw new Error(`no sample defines ${id}`);
    return agent;
  };

  it('are all tested here', () => {
    expect([...agents.keys()].sort()).toEqual(['booking', 'importer', 'regular', 'shout']);
    expect([others.length, fragments.length]).toEqual([1, 1]);
  });

  it('shout: the options that are shown are options', async () => {
    const whole = blocksOf(DOCS)[0] as string;
    const file = join(folder, 'extended.ts');
    writeFileSync(
      file,
      whole.replace('  async *execute', () => `${fragments[0]}  async *execute`),
    );
    const { default: agent } = (await import(file)) as { default: HostedAgent };
    expect(agent.extendedCard?.skills?.map(({ id }) => id)).toEqual(['whisper', 'log']);
  });

  it('shout: the test that is shown holds', async () => {
    await import(others[0] as string);
  });

  it('booking asks first, and goes on with the answer', async () => {
    const wish = messageOf('a table for two');
    expect(await eventsOf(agentOf('booking'), wish)).toEqual([ask('Shall I book "a table for two"? (yes or no)')]);
    const answered = async (answer: string) => {
      const message = messageOf(answer);
      const task: Task = { id: 't', contextId: 'c', status: { state: 'TASK_STATE_WORKING' }, history: [wish, message] };
      return eventsOf(agentOf('booking'), message, { turn: 2, task });
    };
    expect(await answered('yes, please')).toEqual([artifact('booking', data({ wish: 'a table for two' })), completed('Booked.')]);
    expect(await answered('better not')).toEqual([reject('Nothing was booked.')]);
  });

  it('importer goes on after its last checkpoint', async () => {
    const kept: unknown[] = [];
    const onCheckpoint = (value: unknown): void => void kept.push(value);
    const all = [appendTo('imported', text('a\n')), appendTo('imported', text('b\n')), completed('2 lines')];
    expect(await eventsOf(agentOf('importer'), 'a\nb', { onCheckpoint })).toEqual(all);
    expect(kept).toEqual([1, 2]);
    expect(await eventsOf(agentOf('importer'), 'a\nb', { attempt: 2, lastCheckpoint: 1 })).toEqual(all.slice(1));
  });

  it('regular remembers', async () => {
    const memory = new TestMemory();
    for (const visit of [1, 2]) {
      const events = await eventsOf(agentOf('regular'), 'hello', { memory });
      expect(events.at(-2)).toEqual(artifact('answer', text(`This is visit ${visit}. `)));
    }
  });
});
