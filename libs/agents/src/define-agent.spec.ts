import { AgentOptionsError, defineAgent, type AgentOptions } from './define-agent.js';
import { completed } from './events.js';

const OPTIONS: AgentOptions = {
  id: 'echo',
  card: {
    name: 'Echo',
    description: 'Says back what it was told.',
    version: '1.0.0',
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'echo', name: 'Echo', description: 'Repeats a text.', tags: ['sample'] }],
  },
  async *execute() {
    yield completed();
  },
};

describe('defineAgent', () => {
  it('fills in what an author need not say', () => {
    const agent = defineAgent(OPTIONS);
    expect(agent).toMatchObject({ id: 'echo', policy: { recovery: 'retry', maxAttempts: 3 }, answers: 'task', resumes: false });
    expect(agent).not.toHaveProperty('concurrency');
    expect(agent.executor.execute).toBe(OPTIONS.execute);
  });

  it('keeps what the author says', () => {
    const agent = defineAgent({
      ...OPTIONS,
      recovery: 'fail',
      maxAttempts: 1,
      answers: 'either',
      resumes: true,
      concurrency: 2,
      turnTimeoutMs: 500,
    });
    expect(agent).toMatchObject({
      policy: { recovery: 'fail', maxAttempts: 1 },
      answers: 'either',
      resumes: true,
      concurrency: 2,
      turnTimeoutMs: 500,
    });
  });

  it.each(['', 'two words', 'a/b', 'x'.repeat(65), 'tasks', 'v1'])('refuses the id %j', (id) => {
    expect(() => defineAgent({ ...OPTIONS, id })).toThrow(AgentOptionsError);
  });

  it.each([
    ['maxAttempts', 0],
    ['maxAttempts', 1.5],
    ['concurrency', -1],
    ['turnTimeoutMs', NaN],
    ['turnTimeoutMs', 2 ** 31],
    ['silenceTimeoutMs', 30 * 24 * 3600 * 1000],
    ['recovery', 'sometimes'],
    ['answers', 'nothing'],
    ['execute', undefined],
  ])('refuses %s %p, and names the agent', (option, value) => {
    expect(() => defineAgent({ ...OPTIONS, [option]: value })).toThrow(/agent "echo": .*/);
    expect(() => defineAgent({ ...OPTIONS, [option]: value })).toThrow(new RegExp(option));
  });

  it('takes the longest time that a timer can wait', () => {
    expect(defineAgent({ ...OPTIONS, turnTimeoutMs: 2 ** 31 - 1 })).toMatchObject({ turnTimeoutMs: 2 ** 31 - 1 });
  });

  it('marks what it has checked, and no copy of it', () => {
    const mark = Symbol.for('chorus.agent');
    const agent = defineAgent(OPTIONS);
    expect(Object.hasOwn(agent, mark)).toBe(true);
    expect(Object.hasOwn({ ...agent, id: 'a/b' }, mark)).toBe(false);
  });

  it('keeps what is added for those who have shown who they are, and refuses what cannot be', () => {
    const extendedCard = { skills: [{ id: 'more', name: 'More', description: 'More.', tags: ['sample'] }] };
    expect(defineAgent({ ...OPTIONS, extendedCard }).extendedCard).toEqual(extendedCard);
    expect(() => defineAgent({ ...OPTIONS, extendedCard: {} })).toThrow('adds nothing to the card');
  });

  it('refuses a card that lacks a required field, and names the field', () => {
    const { name: _, ...card } = OPTIONS.card;
    expect(() => defineAgent({ ...OPTIONS, card: card as AgentOptions['card'] })).toThrow(/name/);
  });
});
