import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServerProcess } from './server-process.js';

const describeOnLinux = process.platform === 'linux' ? describe : describe.skip;

/** Of the processes whose command line names `text`. */
const naming = (text: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false;
    }
  });

describeOnLinux('ServerProcess', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'chorus-server-process-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const spawnServer = (outliveS: number): Promise<ServerProcess> =>
    ServerProcess.spawn({
      command: process.execPath,
      args: ['-e', 'setInterval(() => {}, 1000)', folder],
      options: { stdio: 'ignore' },
      pidFile: join(folder, 'pid'),
      stopSignal: 'SIGTERM',
      outliveS,
    });

  it('has a guard beside it, and neither is left when it has ended', async () => {
    for (const end of ['stop', 'kill'] as const) {
      const server = await spawnServer(600);
      try {
        while (naming(folder).length < 2) await sleep(5);
      } finally {
        await server[end]();
      }
      expect(naming(folder)).toEqual([]);
    }
  });
});
