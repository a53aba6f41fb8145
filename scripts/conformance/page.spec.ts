import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

interface Kit {
  requirements: { id: string; status: string; transports: Record<string, string> }[];
  failures: { test: string; message: string }[];
  counts: Record<string, number>;
}
interface Results {
  kit: Kit;
  probe: { checks: { id: string; status: string; binding?: string }[] };
  suites: { tests: { file: string; test: string; status: string }[] };
}

const here = import.meta.dirname;
const load = async <T>(file: string): Promise<T> => (await import(pathToFileURL(join(here, file)).href)) as T;
const { conformancePage } = await load<{ conformancePage(results: Results): string }>('page.mjs');
const known = await load<{
  KNOWN_KIT_FAILURES: object[];
  surprises(failures: Kit['failures'], known: object[]): string[];
}>('known-failures.mjs');

/** The results that are committed, to be spoiled. */
function results(): Results {
  const folder = join(here, '..', '..', 'docs', 'conformance');
  const files = readdirSync(folder).map((file) => [
    file.replace('.json', ''),
    JSON.parse(readFileSync(join(folder, file), 'utf8')),
  ]);
  return Object.fromEntries(files) as Results;
}

const rowOf = (page: string, claim: string): string => page.split('\n').find((line) => line.startsWith(`| ${claim} |`)) ?? '';

describe('the page of the evidence', () => {
  it('says of a row that it holds, and over which bindings', () => {
    expect(rowOf(conformancePage(results()), '`SendMessage`')).toContain('| holds: JSON-RPC, HTTP+JSON, gRPC |');
  });

  it('says of a row that it does not hold when one check failed over one binding', () => {
    const spoiled = results();
    const check = spoiled.probe.checks.find(({ id, binding }) => id === 'send.answers' && binding === 'GRPC');
    Object.assign(check as object, { status: 'failed', reason: 'no task' });
    const row = rowOf(conformancePage(spoiled), '`SendMessage`');
    expect(row).toContain('| **does not hold** |');
    expect(row).toContain('probe `send.answers` **failed**');
  });

  it('says so when a test of this repository failed', () => {
    const spoiled = results();
    const one = spoiled.suites.tests.find(({ file }) => file === 'test/e2e/cancel-races.spec.ts');
    (one as { status: string }).status = 'failed';
    expect(conformancePage(spoiled)).toMatch(/1,000 races.*\*\*does not hold\*\*/);
  });

  it('does not call proven what was skipped', () => {
    const spoiled = results();
    for (const one of spoiled.probe.checks) if (one.id === 'version.patch') one.status = 'skipped';
    expect(rowOf(conformancePage(spoiled), 'A patch number is ignored')).toContain('| **not shown** |');
  });

  it('is not written when a row names what no result has', () => {
    const spoiled = results();
    spoiled.suites.tests = spoiled.suites.tests.filter(({ test }) => !test.includes('I3'));
    expect(() => conformancePage(spoiled)).toThrow('suites.json has no test/e2e/cancel.spec.ts: I3');
  });

  it('shows a failure of the kit that nobody has explained, in its list and in the rows', () => {
    const spoiled = results();
    spoiled.kit.failures.push({ test: 'test_requirements::test_must_requirement[CORE-GET-001-grpc]', message: 'no task' });
    Object.assign(spoiled.kit.requirements.find(({ id }) => id === 'CORE-GET-001') as object, { status: 'FAIL' });
    const page = conformancePage(spoiled);
    expect(page).toContain('**Not explained.** no task');
    expect(rowOf(page, '`GetTask`')).toContain('kit `CORE-GET-001` **failed**');
  });
});

describe('the failures that are known', () => {
  it('are those of the results', () => {
    expect(known.surprises(results().kit.failures, known.KNOWN_KIT_FAILURES)).toEqual([]);
  });

  it('leave any other as a surprise, and so is one that does not fail any more', () => {
    const failures = results().kit.failures.filter(({ test }) => !test.includes('version_not_supported'));
    const other = { test: 'test_task_history::test_order[grpc]', message: 'out of order' };
    expect(known.surprises([...failures, other], known.KNOWN_KIT_FAILURES)).toEqual([
      'test_task_history::test_order[grpc] failed: out of order',
      expect.stringMatching(/version_not_supported.* does not fail any more/),
    ]);
  });
});
