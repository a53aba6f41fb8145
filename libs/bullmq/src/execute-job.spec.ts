import { jobData, jobIds, parseJob } from './execute-job.js';

const hint = { agentId: 'a', taskId: 't', turn: 2, epoch: 3 };

it('a job’s ids tell turns and leases apart: a job that is stuck swallows no later hint', () => {
  const ids = [hint, { ...hint, epoch: 4 }, { ...hint, turn: 3 }].flatMap(jobIds);
  expect(new Set(ids).size).toBe(3 * jobIds(hint).length);
  expect(jobIds(hint)[0]).toBe('execute-t-2-3');
});

it('a job brings its hint back; another version and what is no job are told apart', () => {
  expect(parseJob(jobData({ ...hint, again: true }))).toEqual({ kind: 'hint', hint });
  expect(parseJob({ ...jobData(hint), v: 2 })).toEqual({ kind: 'unknown-version', version: 2 });
  expect(parseJob({ v: 1 })).toMatchObject({ kind: 'malformed' });
  expect(parseJob(null)).toMatchObject({ kind: 'malformed' });
});
