import { jest } from '@jest/globals';
import { CATALOGUE } from './catalogue.js';
import { startFakeAgent, TOKEN } from './fake-agent/fake-agent.spec-support.js';
import type { Profile } from './fake-agent/cards.spec-support.js';
import { DEFAULT_OPTIONS } from './options.js';
import { probe } from './probe.js';
import type { Report } from './report.js';

/** Where a fault shows in an agent that declares less, or requires more. */
const PROFILE_OF: Readonly<Record<string, Profile>> = {
  'capabilities.streaming': 'plain',
  'capabilities.push': 'plain',
  'capabilities.extended-card': 'plain',
  'extensions.required': 'strict',
};

/** Checks that cannot hold either when that one does not. */
const FOLLOWS: Readonly<Record<string, readonly string[]>> = {
  'errors.unknown-task.get': ['version.patch', 'version.query-parameter', 'errors.rpc-error-info', 'extensions.unknown'],
  // The extended card of this agent is made of the other one.
  'card.required-fields': ['extended-card.is-card'],
  'card.required-values': ['extended-card.is-card'],
  'card.protojson': ['extended-card.is-card'],
  // Every frame of a stream has the request's id.
  'rpc.ids': ['stream.envelope'],
  'auth.required': ['auth.challenge', 'extended-card.needs-credentials'],
  'subscribe.first-event': ['subscribe.resumes'],
  'send.new-task-ids': ['list.context', 'list.pages', 'list.timestamp'],
  'task.get-agrees': ['stream.adds-up'],
};

/** A stream that never ends is waited for. */
const IMPATIENT = new Set(['stream.opens', 'subscribe.ends']);

jest.setTimeout(120_000);

const CHECKS = CATALOGUE.flatMap(({ checks }) => checks);

async function probeFake(
  profile: Profile,
  faults: readonly string[],
  only: readonly string[] = [],
  timeoutMs = 5000,
): Promise<Report> {
  const agent = await startFakeAgent(profile, faults);
  try {
    return await probe({
      ...DEFAULT_OPTIONS,
      url: agent.url,
      // The strict one takes no message of a client that does not know its extension.
      allowSideEffects: profile !== 'strict',
      only,
      push: profile === 'full',
      ...(profile === 'full' && { token: TOKEN }),
      messageThatAsks: 'ask',
      messageThatWorks: 'work',
      restartCommand: `"${process.execPath}" -e "fetch('${agent.url}/restart')"`,
      timeoutMs,
    });
  } finally {
    await agent.stop();
  }
}

const idsOf = ({ results }: Report, status: string): string[] =>
  [...new Set(results.filter((result) => result.status === status).map(({ id }) => id))].sort();

const failures = ({ results }: Report): object[] =>
  results
    .filter(({ status }) => status === 'failed')
    .map(({ id, binding, reason, evidence }) => ({ id, binding, reason, evidence }));

describe('an agent without faults', () => {
  it.each(['full', 'plain', 'strict'] as const)('%s: nothing fails', async (profile) => {
    expect(failures(await probeFake(profile, []))).toEqual([]);
  });

  it('every check passes in one of them, over every binding that it is for', async () => {
    const passed = new Set<string>();
    for (const profile of ['full', 'plain', 'strict'] as const)
      for (const { id, binding, status } of (await probeFake(profile, [])).results)
        if (status === 'passed') passed.add(`${id}@${binding ?? ''}`);
    const due = CHECKS.flatMap(({ id, bindings }) => (bindings ?? ['']).map((binding) => `${id}@${binding}`));
    expect(due.filter((name) => !passed.has(name))).toEqual([]);
  });
});

describe('each check fails on its fault, and no other does but those that must', () => {
  it.concurrent.each(CHECKS.map(({ id, bindings = ['JSONRPC'] }) => [id, bindings[0]]))('%s over %s', async (id, binding) => {
    const report = await probeFake(
      PROFILE_OF[`${id}`] ?? 'full',
      [`${id}`],
      ['*@', `*@${binding}`],
      IMPATIENT.has(`${id}`) ? 1500 : undefined,
    );
    expect(idsOf(report, 'failed')).toEqual([id, ...(FOLLOWS[`${id}`] ?? [])].sort());
  });
});
