import { randomUUID } from 'node:crypto';
import type { AgentError, Binding, CallOptions } from '../bindings/binding.js';
import { ALL, WEB, claim, fail, type Check } from '../check.js';
import { expectError, reasonOf } from '../expect-error.js';
import { show } from '../wire/json.js';

/** Version negotiation (section 3.6), tried with a request that changes nothing: GetTask of a task that does not exist. */
export const VERSION_CHECKS: readonly Check[] = [
  {
    id: 'version.absent',
    title: 'A request without A2A-Version is not taken for 1.0',
    requirement: 'MUST',
    section: '3.6.2',
    mend: 'Take an absent version for 0.3: serve 0.3, or answer VersionNotSupportedError.',
    bindings: ALL,
    run: ({ binding }) => notAsOneZero(binding, { version: null }, 'without A2A-Version'),
  },
  {
    id: 'version.empty',
    title: 'A request with an empty A2A-Version is not taken for 1.0',
    requirement: 'MUST',
    section: '3.6.2',
    mend: 'Take an empty version for 0.3: serve 0.3, or answer VersionNotSupportedError.',
    bindings: WEB,
    run: ({ binding }) => notAsOneZero(binding, { version: '' }, 'with an empty A2A-Version'),
  },
  {
    id: 'version.unsupported',
    title: 'A version that does not exist is refused with VersionNotSupportedError',
    requirement: 'MUST',
    section: '3.6.2',
    mend: 'Compare A2A-Version with the versions that the interface speaks before anything else.',
    bindings: ALL,
    run: async ({ binding }) =>
      void expectError(await getNothing(binding, { version: '9.9' }), 'VersionNotSupportedError', binding.name),
  },
  {
    id: 'version.names-supported',
    title: 'The refusal of a version names those that are supported',
    requirement: 'SHOULD',
    section: '3.3.2',
    mend: 'Name the supported versions in the message or in the details of VersionNotSupportedError.',
    bindings: ALL,
    run: async ({ binding }) => {
      const { error } = await getNothing(binding, { version: '9.9' });
      if (!error) fail('the version is accepted');
      claim(
        /\b1\.0\b/.test(`${error.message} ${show(error.details)}`),
        'neither the message nor the details name 1.0',
        error.raw,
      );
    },
  },
  {
    id: 'version.patch',
    title: 'A patch number is ignored: 1.0.1 is 1.0',
    requirement: 'MUST',
    section: '3.6',
    mend: 'Compare Major.Minor only.',
    bindings: ALL,
    run: async ({ binding }) =>
      void expectError(await getNothing(binding, { version: '1.0.1' }), 'TaskNotFoundError', binding.name),
  },
  {
    id: 'version.query-parameter',
    title: 'The version may come as a query parameter',
    requirement: 'SHOULD',
    section: '3.6.1',
    mend: 'Read the query parameter A2A-Version where there is no such header.',
    bindings: WEB,
    run: async ({ binding }) => {
      const reply = await getNothing(binding, { version: null, query: { 'A2A-Version': '1.0' } });
      expectError(reply, 'TaskNotFoundError', binding.name);
    },
  },
];

const getNothing = (binding: Binding, options: CallOptions): ReturnType<Binding['call']> =>
  binding.call('GetTask', { id: randomUUID() }, options);

/** Silent failure: the answer is the one that 1.0 gives, so nobody notices that the version was never looked at. */
async function notAsOneZero(binding: Binding, options: CallOptions, what: string): Promise<void> {
  const id = randomUUID();
  const { error } = await binding.call('GetTask', { id }, options);
  if (!error) fail(`GetTask of a task that does not exist succeeds ${what}`);
  const { error: ofOneZero } = await binding.call('GetTask', { id });
  if (!ofOneZero) fail('GetTask of a task that does not exist succeeds');
  claim(!isSame(error, ofOneZero), `the answer ${what} is that of 1.0`, error.raw);
}

const isSame = (a: AgentError, b: AgentError): boolean =>
  a.code === b.code && a.message === b.message && reasonOf(a) === reasonOf(b);
