import { createLogger } from './logger.js';
import { prettyLine } from './pretty-log.js';

const written = (): { lines: string[]; write(line: string): void } => {
  const lines: string[] = [];
  return { lines, write: (line) => void lines.push(line) };
};

describe('createLogger', () => {
  it('writes one JSON line with the message before the fields', () => {
    const output = written();
    createLogger('api', { logLevel: 'info', logFormat: 'json' }, output)
      .with({ agentId: 'echo' })
      .info('A task was accepted', { taskId: 't1' });
    expect(output.lines).toHaveLength(1);
    expect(output.lines[0]).toMatch(
      /^{"level":"info","time":"[^"]+Z","process":"api","pid":\d+,"msg":"A task was accepted","agentId":"echo","taskId":"t1"}\n$/,
    );
  });

  it('leaves out what is below the level', () => {
    const output = written();
    createLogger('api', { logLevel: 'warn', logFormat: 'json' }, output).info('quiet');
    expect(output.lines).toEqual([]);
  });

  it('leaves out the objects that hang on an error and on its causes, and keeps their codes', () => {
    const output = written();
    const cause = Object.assign(new Error('terminated'), { code: '57P01', client: { secretKey: 110989594 } });
    const err = Object.assign(new Error('lost', { cause }), { code: 'E1', client: { secretKey: 110989594, sql: 'select' } });
    createLogger('api', { logLevel: 'info', logFormat: 'json' }, output).warn('A connection was lost', { err });
    expect(output.lines[0]).not.toMatch(/110989594|"client"/);
    expect(JSON.parse(output.lines[0] as string)).toMatchObject({ err: { code: 'E1', cause: { code: '57P01' } } });
  });

  it('hides credentials, wherever they stand', () => {
    const output = written();
    const logger = createLogger('api', { logLevel: 'info', logFormat: 'json' }, output);
    const err = new Error('connect redis://me:hunter2@cache:6379 failed', { cause: new Error('Authorization: Bearer hunter2') });
    logger.error('No connection', {
      err,
      headers: { authorization: 'hunter2', 'x-api-key': 'hunter2' },
      url: 'postgres://u:hunter2@db/x',
      password: 'hunter2',
    });
    expect(output.lines[0]).not.toContain('hunter2');
    expect(output.lines[0]).toContain('"err":{"type":"Error"');
    expect(output.lines[0]).toContain('"stack":"Error: connect redis://[hidden]@cache:6379 failed');
  });

  it('keeps page tokens and token counts, which are no credentials', () => {
    const output = written();
    createLogger('api', { logLevel: 'info', logFormat: 'json' }, output).info('A page', { nextPageToken: 'abc', tokens: 12 });
    expect(output.lines[0]).toContain('"nextPageToken":"abc","tokens":12');
  });
});

describe('prettyLine', () => {
  it('puts the fields behind the message', () => {
    const line =
      '{"level":"warn","time":"2026-01-02T03:04:05.678Z","process":"worker","pid":7,"msg":"Slow","taskId":"t1","n":2}\n';
    expect(prettyLine(line, false)).toBe('03:04:05.678 warn  worker[7] Slow taskId=t1 n=2\n');
  });

  it('leaves what is not JSON as it is', () => {
    expect(prettyLine('plain\n', false)).toBe('plain\n');
  });
});
