import { projectRoot } from '#platform';
import { startCluster, type Cluster, type ClusterProcess } from '#testing';
import { flattenedVerify, importJWK, type JWK } from 'jose';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { canonicalCard, verifyAgentCard } from '#signing';
import { Front } from '../support/front.js';

const MAIN = join(projectRoot, 'dist', 'apps', 'cli', 'src', 'main.js');
const CARD = '/agents/echo/.well-known/agent-card.json';
const KEY_SET = '/.well-known/jwks.json';

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const chorus = (args: readonly string[]): Promise<Run> =>
  new Promise((resolve) => {
    execFile(process.execPath, [MAIN, ...args], (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    });
  });

/** The commands of docs/signed-cards.md are what runs here, with other addresses and files. */
describe('signed cards, as their page says', () => {
  let folder: string;
  let front: Front;
  let cluster: Cluster;
  let apis: ClusterProcess[] = [];
  let commands: { env: Record<string, string>; args: string[] }[];

  const get = async (path: string, headers: Record<string, string> = { 'a2a-version': '1.0' }): Promise<Response> =>
    fetch(front.url + path, { headers });
  // The shapes are what the tests are about.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  const json = async (path: string): Promise<any> => (await get(path)).json();

  /** Two replicas with these settings take the place of those that ran. */
  async function serveWith(env: Record<string, string>): Promise<void> {
    await Promise.all(apis.map((api) => api.stop()));
    apis = await Promise.all([cluster.addApi(env), cluster.addApi(env)]);
    front.targets = apis.map(({ url }) => url);
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chorus-card-keys-'));
    front = await Front.start();
    cluster = await startCluster({
      apis: 0,
      env: { CHORUS_AGENTS: join(projectRoot, 'test', 'fixtures', 'agents'), LOG_LEVEL: 'warn' },
    });
    const page = await readFile(join(projectRoot, 'docs', 'signed-cards.md'), 'utf8');
    commands = [...page.matchAll(/^((?:\w+=\S+ )*)npm run -s chorus -- (.+)$/gm)].map(([, env = '', args = '']) => {
      const here = (text: string): string =>
        text.replaceAll('https://agents.example.com', front.url).replace(/^(next-)?card-key\.pem$/, join(folder, '$&'));
      const pairs = env.trim() === '' ? [] : env.trim().split(' ');
      return {
        env: Object.fromEntries(pairs.map((pair) => pair.split('=').map(here) as [string, string])),
        args: args.split(' ').map(here),
      };
    });
  }, 60_000);
  afterAll(async () => {
    await cluster?.stop();
    await front?.stop();
    await rm(folder, { recursive: true });
  }, 60_000);

  it('a key is made, signs, is replaced by the next one, and each card verifies', async () => {
    const [keygen, sign, nextKeygen, rotate, verify, verifyWith, ...more] = commands;
    if (!keygen || !sign || !nextKeygen || !rotate || !verify || !verifyWith) throw new Error('the page lacks a command');
    expect(more).toEqual([]);
    const verifies = async (signatures: number): Promise<void> => {
      for (const { args } of [verify, verifyWith]) {
        const { code, stdout, stderr } = await chorus([...args.slice(0, 2), `${front.url}/agents/echo`, ...args.slice(3)]);
        expect([code, stderr]).toEqual([0, '']);
        expect(stdout).toContain(`${front.url}${CARD} is signed\n`);
        expect(stdout.match(/valid: /g)?.length).toBe(signatures);
      }
    };

    const made = await chorus(keygen.args);
    expect([made.code, made.stdout]).toEqual([0, '']);
    expect(made.stderr).toMatch(/^A key for ES256 with the id [\w-]{43}, in .*card-key\.pem\n$/);
    expect((await stat(join(folder, 'card-key.pem'))).mode & 0o777).toBe(0o600);
    const again = await chorus(keygen.args);
    expect([again.code, again.stderr]).toEqual([
      1,
      `chorus: ${join(folder, 'card-key.pem')} is there already: choose another name\n`,
    ]);

    await serveWith(sign.env);
    await verifies(1);
    const [before, oldKeys] = [await json(CARD), await json(KEY_SET)];
    const etags = [await get(CARD), await get(CARD)].map(({ headers }) => headers.get('etag'));
    expect(etags[0]).toBe(etags[1]);
    expect((await get(CARD, { 'a2a-version': '1.0', 'if-none-match': etags[0] as string })).status).toBe(304);

    expect((await chorus(nextKeygen.args)).code).toBe(0);
    await serveWith(rotate.env);
    await verifies(2);
    const [after, newKeys] = [await json(CARD), await json(KEY_SET)];
    expect(newKeys.keys.map(({ kid }: JWK) => kid).slice(1)).toEqual(oldKeys.keys.map(({ kid }: JWK) => kid));
    // Whoever holds the old card or the old keys goes on with the new ones of the other.
    expect((await verifyAgentCard(before, { keys: newKeys })).verified).toBe(true);
    expect((await verifyAgentCard(after, { keys: oldKeys })).verified).toBe(true);
    expect((await get(CARD)).headers.get('etag')).not.toBe(etags[0]);

    // By jose alone, which knows nothing of Chorus but the canonical text.
    const [{ protected: header, signature }] = after.signatures;
    const payload = Buffer.from(canonicalCard(after)).toString('base64url');
    await flattenedVerify({ protected: header, signature, payload }, await importJWK(newKeys.keys[0], 'ES256'));
  }, 60_000);

  it('a card that was changed on the way, or is of other keys, does not verify', async () => {
    const keySetUrl = `${front.url}${KEY_SET}`;
    const tampered = JSON.stringify(await json(CARD))
      .replace('"echo', '"Echo')
      .replace(/"description":"/, '$&Better. ');
    front.answers.set('/tampered.json', tampered);
    const changed = await chorus(['card', 'verify', `${front.url}/tampered.json`]);
    expect([changed.code, changed.stdout]).toEqual([1, expect.stringContaining('has no valid signature')]);
    expect(changed.stdout.match(/mismatch: it is not of this card by this key/g)?.length).toBe(2);
    front.answers.set('/other.json', '{"keys":[]}');
    const unknown = await chorus(['card', 'verify', `${front.url}/agents/echo`, '--jwks', `${front.url}/other.json`]);
    expect([unknown.code, unknown.stdout]).toEqual([1, expect.stringContaining(`${keySetUrl})`)]);
    const unsigned = await chorus(['card', 'verify', `${front.url}${KEY_SET}`]);
    expect([unsigned.code, unsigned.stdout]).toEqual([1, expect.stringContaining('is not signed')]);
    const nowhere = await chorus(['card', 'verify', `${front.url}/agents/nobody`]);
    expect([nowhere.code, nowhere.stderr]).toEqual([
      1,
      expect.stringMatching(/^chorus: .*agent-card\.json cannot be read.*status 404\n$/),
    ]);
  });

  it('a key that cannot sign keeps the API from starting, with one line', async () => {
    const file = join(folder, 'bad.pem');
    await writeFile(file, 'hello');
    const started = cluster.addApi({ CARD_SIGNING_KEY_FILE: file, PUBLIC_URL: front.url });
    await expect(started).rejects.toThrow('chorus: What CARD_SIGNING_KEY_FILE holds is neither a PEM key nor a JWK');
  });
});
