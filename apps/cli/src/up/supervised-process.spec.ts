import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartError, type ProcessLogger } from '#platform';
import { SupervisedProcess } from './supervised-process.js';

const SILENT: ProcessLogger = { debug() {}, info() {}, warn() {}, error() {}, with: () => SILENT };
const SLEEPER = ['-e', 'setInterval(() => undefined, 1000)'];

const supervised = (readyUrl: string, launch: () => ChildProcess): SupervisedProcess =>
  new SupervisedProcess({ name: 'worker 1', args: [], environment: {}, readyUrl }, SILENT, launch);

describe('SupervisedProcess', () => {
  it('tries again when the system has no room for another process', async () => {
    const ready = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
    await once(ready, 'listening');
    const children: ChildProcess[] = [];
    let onLast = (): void => undefined;
    const last = new Promise<void>((resolve) => (onLast = resolve));
    const launches = [
      () => spawn(process.execPath, SLEEPER),
      () => spawn('/nowhere/node'),
      () => {
        throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' });
      },
      () => {
        onLast();
        return spawn(process.execPath, SLEEPER);
      },
    ];
    const child = supervised(`http://127.0.0.1:${(ready.address() as AddressInfo).port}`, () => {
      const launched = (launches.shift() as () => ChildProcess)();
      children.push(launched);
      return launched;
    });
    await child.start();
    children[0]?.kill('SIGKILL');
    await last;
    await child.stop(5000);
    expect(children.at(-1)?.signalCode).toBe('SIGTERM');
    ready.close();
  });

  it('says why it could not be started at all', async () => {
    const child = supervised('http://127.0.0.1:9', () => spawn('/nowhere/node'));
    await expect(child.start()).rejects.toThrow(new StartError('worker 1 ended at once:\nspawn /nowhere/node ENOENT'));
  });
});
