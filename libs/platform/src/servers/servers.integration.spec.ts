import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:net';
import { searchPath } from '../config/config.js';
import { lockDataDirectory } from './data-directory.js';
import { findRedisServer, RedisServer } from './redis-server.js';

const program = findRedisServer(searchPath());
const describeWithProgram = program === undefined ? describe.skip : describe;

function say(url: string, command: string): Promise<string> {
  const { port, password } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.end(`AUTH ${password}\r\n${command}\r\nQUIT\r\n`));
    let answer = '';
    socket
      .on('data', (chunk) => (answer += chunk.toString()))
      .on('error', reject)
      .on('close', () => resolve(answer));
  });
}

describe('servers of a data folder', () => {
  let folder = '';
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'chorus-servers-')), 'a "folder"');
  });
  afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

  describe('lockDataDirectory', () => {
    it('lets one process in, and tells the next in one line', async () => {
      const lock = await lockDataDirectory(folder);
      await expect(lockDataDirectory(folder)).rejects.toThrow(
        `Another Chorus (process ${process.pid}) uses ${folder}: end it first, or`,
      );
      await lock.release();
      await (await lockDataDirectory(folder)).release();
    });

    it('takes over from an owner that was killed, also when its port is used by another program', async () => {
      const lock = await lockDataDirectory(folder);
      const other = await lockDataDirectory(join(folder, 'other'));
      await lock.release();
      const stale = { pid: process.pid, port: portOf(join(folder, 'other')), token: 'gone' };
      writeFileSync(join(folder, 'owner.json'), JSON.stringify(stale));
      await (await lockDataDirectory(folder)).release();
      writeFileSync(join(folder, 'owner.json'), 'half a fi');
      await (await lockDataDirectory(folder)).release();
      await other.release();
    });
  });

  describeWithProgram('RedisServer (needs a redis-server on PATH)', () => {
    it('has the same address after a restart and a kill, nothing on the disk, and asks for its password', async () => {
      const redis = await RedisServer.start({ program: program as string, dataDir: folder, outliveS: 0 });
      try {
        const { url } = redis;
        expect(await say(url, 'SET k v')).toBe('+OK\r\n+OK\r\n+OK\r\n');
        expect(await say(url.replace(/:[^:@]+@/, ':wrong@'), 'GET k')).toContain('NOAUTH');
        await redis.stop();
        await redis.start();
        expect(redis.url).toBe(url);
        expect(await say(url, 'GET k')).toContain('$-1');
        expect(readdirSync(join(folder, 'redis')).sort()).toEqual(['redis.pid', 'server.log']);
        await redis.kill();
        expect(redis.pid).toBeUndefined();
        await redis.start();
        expect(await say(url, 'CONFIG GET maxmemory-policy')).toContain('noeviction');
      } finally {
        await redis.stop();
      }
    });
  });
});

function portOf(folder: string): number {
  return (JSON.parse(readFileSync(join(folder, 'owner.json'), 'utf8')) as { port: number }).port;
}
