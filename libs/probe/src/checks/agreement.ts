import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { errorOf, JsonRpcBinding } from '../bindings/json-rpc.js';
import { ALL, claim, fail, skip, valueOf, type Check, type CheckContext } from '../check.js';
import { getCard, type Target } from '../target.js';
import { idOf } from '../task-shape.js';
import { excerpt, isObject, member, show, sameJson, type Json } from '../wire/json.js';
import { WireFault } from '../wire/wire-fault.js';

/** How long a restart may take, in milliseconds. */
const RESTART_MS = 120_000;
const RETRY_MS = 200;

/** What holds between interfaces, versions and runs of one agent. */
export const AGREEMENT_CHECKS: readonly Check[] = [
  {
    id: 'bindings.same-task',
    title: 'A task is the same over every interface',
    requirement: 'MUST',
    section: '5.1',
    mend: 'Serve every binding from one store, and map it without loss.',
    bindings: ALL,
    needs: ['sideEffects'],
    run: async ({ target, binding, scenes }) => {
      const others = target.interfaces.flatMap((one) => (one.binding && one.binding !== binding ? [one.binding] : []));
      if (others.length === 0) skip('there is one interface only');
      const id = idOf(await scenes.task());
      const mine = normal(await scenes.getTask(id));
      for (const other of others) {
        const theirs = normal(valueOf(await other.call('GetTask', { id }), `GetTask over ${other.name}`));
        claim(sameJson(mine, theirs), `the task differs over ${other.name}`, `${show(mine)} and ${show(theirs)}`);
      }
    },
  },
  {
    id: 'legacy.methods',
    title: 'An interface of 0.3 serves the methods of 0.3',
    requirement: 'INFO',
    section: '3.6.2',
    mend: 'Serve tasks/get of 0.3 where the card declares version 0.3, or do not declare it.',
    bindings: ['JSONRPC'],
    run: async ({ target, binding }) => {
      if (!speaks(target, '0.3')) skip('0.3 is not declared');
      if (!(binding instanceof JsonRpcBinding)) return;
      const body = { jsonrpc: '2.0', id: 'legacy', method: 'tasks/get', params: { id: randomUUID() } };
      const answer = (await binding.post(body, { version: '0.3' })).json();
      claim(errorOf(answer)?.code === -32001, 'tasks/get of a task that does not exist is not -32001', show(answer));
    },
  },
  {
    id: 'legacy.card',
    title: 'The card of an agent that speaks 0.3 can be read by clients of 0.3',
    requirement: 'INFO',
    section: 'A.2',
    mend: 'Serve the fields url, preferredTransport and protocolVersion to requests without A2A-Version.',
    run: async ({ target }) => {
      if (!speaks(target, '0.3')) skip('0.3 is not declared');
      const card = (await getCard(target.cardUrl, target.limits, { 'a2a-version': '' })).json();
      claim(typeof member(card, 'url') === 'string', 'there is no url', excerpt(show(card)));
    },
  },
  {
    id: 'restart.survives',
    title: 'A task is the same after a restart',
    requirement: 'SHOULD',
    section: '3.1.3',
    mend: 'Keep tasks in a store that outlives the process.',
    needs: ['sideEffects', 'restartCommand'],
    run: async (context) => {
      const id = idOf(await context.scenes.task());
      const before = normal(await context.scenes.getTask(id));
      await restart(context);
      const after = normal(valueOf(await context.binding.call('GetTask', { id }), 'GetTask after the restart'));
      claim(sameJson(before, after), 'the task is another', `${show(before)} and ${show(after)}`);
    },
  },
];

const speaks = ({ interfaces }: Target, version: string): boolean =>
  interfaces.some(({ protocolVersion }) => protocolVersion === version);

/** What a binding writes or leaves out as it likes: empty lists, base64 alphabets, fractions of seconds. */
function normal(value: Json | undefined, key = ''): Json | undefined {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map((item) => normal(item) ?? null);
  if (key === 'timestamp' && typeof value === 'string') return Math.floor(Date.parse(value));
  if (key === 'raw' && typeof value === 'string') return Buffer.from(value, 'base64').toString('base64');
  if (!isObject(value)) return value === '' || value === false ? undefined : value;
  if (key === 'metadata' || key === 'data') return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, normal(item, name)]));
}

async function restart({ target }: CheckContext): Promise<void> {
  const child = spawn(target.options.restartCommand ?? '', { shell: true, stdio: 'ignore' });
  const timer = setTimeout(() => child.kill('SIGKILL'), RESTART_MS);
  const [code] = (await once(child, 'exit')) as [number | null];
  clearTimeout(timer);
  if (code !== 0) fail(`the restart command ends with ${code ?? 'a signal'}`);
  for (const deadline = Date.now() + RESTART_MS; ;) {
    try {
      if ((await getCard(target.cardUrl, target.limits, {})).status === 200) return;
    } catch (error) {
      if (!(error instanceof WireFault)) throw error;
    }
    if (Date.now() > deadline) fail('the card does not come back after the restart');
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
