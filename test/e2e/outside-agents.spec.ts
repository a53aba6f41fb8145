import { createTestDatabase, testRedisUrl, type TestDatabase } from '#testing';
import { freePort, projectRoot, searchPath } from '#platform';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { A2AClient, stateOf, until } from '../support/a2a-client.js';

const MAIN = join(projectRoot, 'dist', 'apps', 'cli', 'src', 'main.js');
const TSC = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc');

const WAITING = `import { answer } from './words/answer.js';
import { completed, defineAgent, sleep, working } from 'chorus/agents';
enum Pause { Short = 1500 }
const card = { name: 'W', description: 'W', version: '1', defaultInputModes: ['text'], defaultOutputModes: ['text'], skills: [{ id: 'w', name: 'W', description: 'W', tags: ['w'] }] };
export default defineAgent({
  id: 'waiting',
  card,
  async *execute({ signal }) {
    yield working();
    await sleep(Pause.Short, signal);
    yield completed(answer);
  },
});
`;
/** An error that is expected and does not come is an error: the types are there. */
const WRONG = `import { completed } from 'chorus/agents';
// @ts-expect-error a number is nothing to say
completed(1);
`;
const PACKAGED = `import { completed, defineAgent } from 'chorus/agents';
const card = { name: 'P', description: 'P', version: '1', defaultInputModes: ['text'], defaultOutputModes: ['text'], skills: [{ id: 'p', name: 'P', description: 'P', tags: ['p'] }] };
const one = (id) => defineAgent({ id, card, async *execute() { yield completed(id); } });
export default [one('packaged'), one('packaged-too')];
`;

/** A folder that knows nothing of this project, with a space in its path. */
describe('agents outside of the project', () => {
  let folder = '';
  let database: TestDatabase;
  let dev: ChildProcess | undefined;
  let output = '';

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'my agents '));
    database = await createTestDatabase();
  });
  afterAll(async () => {
    if (dev && dev.exitCode === null) {
      dev.kill('SIGTERM');
      await once(dev, 'close');
    }
    await database.drop();
    rmSync(folder, { recursive: true });
  });

  const chorus = (...args: string[]) => spawnSync(process.execPath, [MAIN, ...args], { cwd: folder, encoding: 'utf8' });
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const said = async (text: string, count = 1): Promise<void> => {
    while (output.split(text).length - 1 < count) {
      if (dev?.exitCode !== null) throw new Error(`it has ended:\n${output}`);
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  };

  it('are begun by "chorus new agent": the test runs, the types are found, and nothing is overwritten', () => {
    const made = chorus('new', 'agent', 'greeter');
    expect(made).toMatchObject({ status: 0, stderr: '' });
    const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { scripts: { test: string } };
    const tested = spawnSync(scripts.test.replace(/^node/, `'${process.execPath}'`), {
      cwd: folder,
      shell: true,
      encoding: 'utf8',
    });
    expect(tested.stdout + tested.stderr).toMatch(/pass 1\b/);
    expect(tested.status).toBe(0);
    mkdirSync(join(folder, 'words'));
    write('words/typed.ts', WRONG);
    const types = spawnSync(process.execPath, [TSC, '-p', folder], { encoding: 'utf8' });
    expect([types.stdout, types.status]).toEqual(['', 0]);
    expect(chorus('new', 'agent', 'greeter')).toMatchObject({ status: 1, stderr: expect.stringContaining('is there already') });
    expect(chorus('new', 'agent', 'Bad Name')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('cannot be the name'),
    });
  });

  it('run in "chorus dev", TypeScript, helpers and packages too, and are loaded anew without losing a task', async () => {
    write('words/answer.ts', `export const answer: string = 'first';\n`);
    write('waiting.ts', WAITING);
    mkdirSync(join(folder, 'node_modules', 'acme-agents'), { recursive: true });
    write(
      'node_modules/acme-agents/package.json',
      '{ "name": "acme-agents", "type": "module", "exports": { "import": "./index.js" } }',
    );
    write('node_modules/acme-agents/index.js', PACKAGED);
    const port = await freePort();
    const args = ['dev', '--agents', '.,acme-agents', '--port', String(port), '--data', join(folder, '.data')];
    dev = spawn(process.execPath, [MAIN, ...args], {
      cwd: folder,
      env: { PATH: searchPath(), GRPC_PORT: 'off', DATABASE_URL: database.url, REDIS_URL: testRedisUrl() ?? '', DRAIN_MS: '100' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [dev.stdout, dev.stderr]) stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    await said('Watching');
    const client = new A2AClient(`http://127.0.0.1:${port}`);
    const textOf = async (agent: string, text = 'hello'): Promise<unknown> =>
      (await client.agent(agent).sendForTask(text)).status.message?.parts[0]?.text;
    expect(await textOf('packaged-too')).toBe('packaged-too');
    expect(await textOf('waiting')).toBe('first');

    const waiting = client.agent('waiting');
    const running = await waiting.sendForTask('hello', { returnImmediately: true });
    await until(waiting, running.id, (task) => stateOf(task) === 'TASK_STATE_WORKING');
    write('words/answer.ts', `export const answer: string = 'second';\n`);
    await said('loaded anew');
    const done = await until(waiting, running.id, (task) => stateOf(task) === 'TASK_STATE_COMPLETED');
    expect(['first', 'second']).toContain(done.status.message?.parts[0]?.text);
    expect(await textOf('waiting')).toBe('second');

    write('waiting.ts', WAITING.replace('async *execute', 'async *('));
    await said('stay at work');
    expect(output).toMatch(/waiting\.ts cannot be loaded: .*waiting\.ts:8:\d+: /);
    expect(await textOf('waiting')).toBe('second');
  });

  it.each([
    ['./nowhere', /The agents' folder or file .*nowhere is not there/],
    ['no-such-package', /no-such-package cannot be loaded: Cannot find package 'no-such-package'/],
  ])('that are not there (%s) stop a worker with one line', (places, line) => {
    const env = { PATH: searchPath(), DATABASE_URL: 'postgres://127.0.0.1:1/none' };
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'worker', '--agents', places], {
      cwd: folder,
      env,
      encoding: 'utf8',
    });
    expect(status).toBe(1);
    expect(stderr.trim()).toMatch(line);
    expect(stderr.trim()).not.toContain('\n');
  });
});
