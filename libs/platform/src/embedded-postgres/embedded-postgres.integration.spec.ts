import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { projectRoot } from '../project-root.js';
import { commandOf, gone } from '../servers/processes.js';
import { EmbeddedPostgres } from './embedded-postgres.js';
import { installedFolder, usableBinaries } from './binaries.js';

const asRoot = process.getuid?.() === 0 ? it : it.skip;

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}

describe('EmbeddedPostgres', () => {
  const folders: string[] = [];
  const servers: EmbeddedPostgres[] = [];
  const folder = (): string => {
    const path = join(mkdtempSync(join(tmpdir(), 'chorus-embedded-')), 'a folder');
    mkdirSync(path);
    folders.push(path);
    return path;
  };
  const start = async (dataDir: string): Promise<EmbeddedPostgres> => {
    const server = await EmbeddedPostgres.start({ dataDir, outliveS: 0 });
    servers.push(server);
    return server;
  };

  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.stop()));
    for (const path of folders.splice(0)) {
      const place = join(path, 'postgres');
      if (lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink()) rmSync(realpathSync(place), { recursive: true });
      rmSync(join(path, '..'), { recursive: true });
    }
  });

  it('keeps its data and its password over a restart, in a folder with a space in its name', async () => {
    const dataDir = folder();
    const first = await start(dataDir);
    await query(first.url, 'create table kept (n int); insert into kept values (7)');
    await first.stop();
    expect(first.pid).toBeUndefined();
    const second = await start(dataDir);
    expect(await query(second.url, 'select n from kept')).toEqual([{ n: 7 }]);
  });

  it('refuses a wrong password, and whoever comes from elsewhere', async () => {
    const { url, port } = await start(folder());
    await expect(query(url.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toMatchObject({ code: '28P01' });
    const [{ addresses }] = (await query(url, `select current_setting('listen_addresses') as addresses`)) as [
      { addresses: string },
    ];
    expect(addresses).toBe('127.0.0.1');
    expect(url).toContain(`@127.0.0.1:${port}/`);
  });

  it('gives up nothing that was committed when it is killed, and keeps its URL', async () => {
    const server = await start(folder());
    await query(server.url, 'create table kept (n int); insert into kept values (7)');
    const { url } = server;
    await server.kill();
    await server.start();
    expect(server.url).toBe(url);
    expect(await query(url, 'select n from kept')).toEqual([{ n: 7 }]);
  });

  it('runs beside another on a folder of its own', async () => {
    const [a, b] = await Promise.all([start(folder()), start(folder())]);
    expect(a.port).not.toBe(b.port);
    expect(await query(b.url, 'select 1 as n')).toEqual([{ n: 1 }]);
  });

  it('ends what a killed owner left running, and starts anew on its data', async () => {
    const dataDir = folder();
    const module = pathToFileURL(join(projectRoot, 'dist/libs/platform/src/index.js')).href;
    const script = `
      const { EmbeddedPostgres } = await import(${JSON.stringify(module)});
      const server = await EmbeddedPostgres.start({ dataDir: ${JSON.stringify(dataDir)}, outliveS: 600 });
      process.stdout.write(server.pid + '\\n');`;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = (await once(owner.stdout, 'data')) as [Buffer];
    const orphan = Number(line.toString());
    const ended = once(owner, 'exit');
    owner.kill('SIGKILL');
    await ended;
    expect(commandOf(orphan)).toContain('postgres');
    const server = await start(dataDir);
    expect(await gone(orphan, 0)).toBe(true);
    expect(await query(server.url, 'select 1 as n')).toEqual([{ n: 1 }]);
  });

  it('is told in one line from another major version’s data', async () => {
    const dataDir = folder();
    const server = await start(dataDir);
    await server.stop();
    writeFileSync(join(dataDir, 'postgres', 'data', 'PG_VERSION'), '17\n');
    await expect(start(dataDir)).rejects.toThrow(/was written by Postgres 17, this version of Chorus brings 18: .*--data/);
  });

  asRoot('puts the data of root where Postgres can reach them when the home is closed', async () => {
    const dataDir = folder();
    chmodSync(join(dataDir, '..'), 0o700);
    const server = await start(dataDir);
    expect(lstatSync(join(dataDir, 'postgres')).isSymbolicLink()).toBe(true);
    expect(await query(server.url, 'select 1 as n')).toEqual([{ n: 1 }]);
    await server.stop();
    expect(await query((await start(dataDir)).url, 'select 1 as n')).toEqual([{ n: 1 }]);
  });
});

describe('usableBinaries', () => {
  it('makes a copy with the links of the libraries when the install script of the package was not run', () => {
    const folder = mkdtempSync(join(tmpdir(), 'chorus-binaries-'));
    try {
      chmodSync(folder, 0o755);
      const bare = join(folder, 'a package');
      cpSync(installedFolder(), bare, { recursive: true, filter: (path) => !lstatSync(path).isSymbolicLink() });
      const { postgres, initdb, majorVersion } = usableBinaries(join(folder, 'cache'), undefined, bare);
      expect(majorVersion).toBe('18');
      for (const program of [postgres, initdb]) {
        expect(program.startsWith(join(folder, 'cache'))).toBe(true);
        expect(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout).toContain('PostgreSQL');
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
