import { jobData, jobIds, parseJob } from './execute-job.js';

const hint = { agentId: 'a', taskId: 't', turn: 2, epoch: 3 };

it('a job’s ids tell turns and leases apart: a job that is stuck swallows no later hint', () => {
  const ids = [hint, { ...hint, epoch: 4 }, { ...hint, turn: 3 }].flatMap(jobIds);
  expect(new Set(ids).size).toBe(3 * jobIds(hint).length);
  expect(jobIds(hint)[0]).toBe('execute-t-2-3');
});

it('a job brings its hints back; another version and what is no job are told apart', () => {
  const hints = [hint, { ...hint, taskId: 'u' }];
  const data = jobData('a', [{ ...hint, again: true }, hints[1]!]);
  expect(parseJob(data)).toEqual({ kind: 'hints', hints });
  expect(parseJob({ ...data, v: 2 })).toEqual({ kind: 'unknown-version', version: 2 });
  for (const turns of [undefined, [], [{ taskId: 't' }]])
    expect(parseJob({ ...data, turns })).toMatchObject({ kind: 'malformed' });
  expect(parseJob(null)).toMatchObject({ kind: 'malformed' });
});
