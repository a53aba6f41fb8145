import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const titleOf = (name: string): string => {
  const words = name.replaceAll('-', ' ');
  return words.slice(0, 1).toUpperCase() + words.slice(1);
};

/** An agent that answers, to be changed. */
export const agentFile = (
  name: string,
): string => `import { artifact, completed, defineAgent, text, textOf, working } from 'chorus/agents';

/** What this agent does for whoever asks it. */
export default defineAgent({
  id: '${name}',
  card: {
    name: '${titleOf(name)}',
    description: 'Says back what it was told, in capitals.',
    version: '0.1.0',
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [
      { id: 'answer', name: 'Answer', description: 'Answers a text.', tags: ['example'], examples: ['hello'] },
    ],
  },
  async *execute({ message }) {
    yield working('thinking');
    yield artifact('answer', text(textOf(message).toUpperCase()));
    yield completed('done');
  },
});
`;

const CAMEL = /-+(\w?)/g;
const variableOf = (name: string): string => name.replace(CAMEL, (_, letter: string) => letter.toUpperCase());

const expectation = (name: string): string => `await eventsOf(${variableOf(name)}Agent, 'hello')`;

/** For Jest, in this project. */
export const specFile = (name: string): string => `import { artifact, completed, text, working } from 'chorus/agents';
import { eventsOf } from 'chorus/agents/testing';
import ${variableOf(name)}Agent from './${name}.js';

describe('${name}', () => {
  it('answers', async () => {
    expect(${expectation(name)}).toEqual([
      working('thinking'),
      artifact('answer', text('HELLO')),
      completed('done'),
    ]);
  });
});
`;

/** For node --test, elsewhere. */
export const testFile = (name: string): string => `import { artifact, completed, text, working } from 'chorus/agents';
import { eventsOf } from 'chorus/agents/testing';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import ${variableOf(name)}Agent from './${name}.ts';

test('${name} answers', async () => {
  assert.deepEqual(${expectation(name)}, [
    working('thinking'),
    artifact('answer', text('HELLO')),
    completed('done'),
  ]);
});
`;

/** Of a folder of agents elsewhere; `npm test` there needs nothing installed. */
export function packageFile(root: string): string {
  const register = pathToFileURL(join(root, 'dist', 'libs', 'loader', 'src', 'register.js')).href;
  const content = { private: true, type: 'module', scripts: { test: `node --import ${register} --test` } };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Types for the editor. */
export function tsconfigFile(root: string): string {
  const built = (...path: string[]): string[] => [join(root, 'dist', 'libs', 'agents', 'src', ...path, 'index.d.ts')];
  const content = {
    compilerOptions: {
      target: 'es2023',
      module: 'nodenext',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
      typeRoots: [join(root, 'node_modules', '@types')],
      paths: { 'chorus/agents': built(), 'chorus/agents/testing': built('testing') },
    },
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}
