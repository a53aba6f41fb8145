import { CardSigner, generateSigningKey, parseSigningKey } from '#signing';
import { PeerRefusedError, PeerUnavailableError } from '../errors.js';
import { json, result, ScriptedPeer, task } from '../scripted-peer.spec-support.js';
import { PeerDirectory } from './peer-directory.js';

let peer: ScriptedPeer;
beforeEach(async () => {
  peer = await ScriptedPeer.start();
  peer.script = (heard, response) =>
    heard.path.includes('/rest') || heard.path.includes('/v1')
      ? json(response, task('WORKING'))
      : result(heard, response, task('WORKING'));
});
afterEach(() => peer.close());

const V1 = { protocolBinding: 'JSONRPC', protocolVersion: '1.0' };
const get = (options = {}, directory = new PeerDirectory()) => peer.client(options, {}, directory).get({ id: 't-1' });

describe('where an agent is called', () => {
  it('1.0 comes before 0.3, and then the order of the agent counts', async () => {
    peer.offers([
      { url: `${peer.url}/old`, protocolBinding: 'JSONRPC', protocolVersion: '0.3' },
      { url: `${peer.url}/grpc`, protocolBinding: 'GRPC', protocolVersion: '1.0' },
      { url: `${peer.url}/rest`, protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      { url: `${peer.url}/rpc`, ...V1 },
    ]);
    await get();
    await get({ protocol: '0.3' });
    expect(peer.calls.map(({ path }) => path)).toEqual(['/rest/tasks/t-1', '/old']);
  });

  it('a card of 0.3 is read', async () => {
    peer.card = {
      name: 'old',
      url: `${peer.url}/v1`,
      preferredTransport: 'HTTP+JSON',
      protocolVersion: '0.3.0',
      additionalInterfaces: [{ url: `${peer.url}/rpc`, transport: 'JSONRPC' }],
    };
    await get();
    expect(peer.calls[0]).toMatchObject({ path: '/v1/tasks/t-1', headers: { 'a2a-version': '0.3' } });
    await expect(get({ protocol: '1.0' })).rejects.toBeInstanceOf(PeerRefusedError);
  });

  it('without a card it is the URL itself', async () => {
    await get();
    expect(peer.heard.map(({ path }) => path)).toEqual(['/.well-known/agent-card.json', '/.well-known/agent.json', '/']);
    await expect(get({ cardSignature: 'required' })).rejects.toBeInstanceOf(PeerRefusedError);
  });

  it('a card that is not answered is no card that is not there', async () => {
    peer.cardStatus = 503;
    await expect(get()).rejects.toBeInstanceOf(PeerUnavailableError);
    expect(peer.calls).toHaveLength(0);
  });
});

describe('origins', () => {
  it('another one is used only by name', async () => {
    const other = await ScriptedPeer.start();
    other.script = (heard, response) => result(heard, response, task('WORKING'));
    try {
      peer.offers([{ url: `${other.url}/rpc`, ...V1 }]);
      await expect(get()).rejects.toThrow(`${other.url}, which interfaceOrigins does not name`);
      await expect(get({ interfaceOrigins: ['http://127.0.0.1'] })).rejects.toBeInstanceOf(PeerRefusedError);
      await get({ interfaceOrigins: [other.url] });
      expect(other.calls).toHaveLength(1);
      expect(peer.calls).toHaveLength(0);
    } finally {
      await other.close();
    }
  });

  it('an interface elsewhere is passed over where another is here', async () => {
    peer.offers([
      { url: 'http://elsewhere.example/rpc', ...V1 },
      { url: `${peer.url}/rpc`, ...V1 },
    ]);
    await get();
    expect(peer.calls[0]?.path).toBe('/rpc');
  });
});

describe('signatures', () => {
  const card = () => ({
    name: 'signed',
    description: 'd',
    version: '1',
    supportedInterfaces: [{ url: `${peer.url}/rpc`, ...V1 }],
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 's', name: 'S', description: 'd', tags: ['t'] }],
  });

  it('a required one has to be valid, and by a key that is trusted', async () => {
    const key = await parseSigningKey(generateSigningKey('ES256'));
    const signer = new CardSigner({ current: key, keySetUrl: 'https://keys.example/jwks.json' });
    const [signature] = await signer.sign(card());
    const required = { cardSignature: 'required' as const, trustedKeys: { keys: [key.publicKey] } };
    peer.card = { ...card(), signatures: [signature] };
    await get(required);
    await expect(get({ cardSignature: 'required' })).rejects.toThrow('no valid signature');
    peer.card = { ...card(), description: 'changed', signatures: [signature] };
    await expect(get(required)).rejects.toThrow('no valid signature');
    peer.card = card();
    await expect(get(required)).rejects.toThrow('no valid signature');
    expect(peer.calls).toHaveLength(1);
    await get();
  });
});

describe('what is remembered', () => {
  const cards = () => peer.heard.length - peer.calls.length;
  beforeEach(() => peer.offers([{ url: `${peer.url}/rpc`, ...V1 }]));

  it('a card is fetched once for all that ask within its time, and again after it', async () => {
    const directory = new PeerDirectory({ ttlMs: 40 });
    await Promise.all([get({}, directory), get({}, directory)]);
    expect(cards()).toBe(1);
    const until = performance.now() + 60;
    while (performance.now() < until) await new Promise(setImmediate);
    await get({}, directory);
    expect(cards()).toBe(2);
  });

  it('other options are another agent, and there are so many at most', async () => {
    const directory = new PeerDirectory({ max: 1 });
    await get({}, directory);
    await get({ headers: { authorization: 'x' } }, directory);
    await get({}, directory);
    expect(cards()).toBe(3);
  });

  it('a failure is not', async () => {
    const directory = new PeerDirectory();
    peer.offers([]);
    await expect(get({}, directory)).rejects.toBeInstanceOf(PeerRefusedError);
    peer.offers([{ url: `${peer.url}/rpc`, ...V1 }]);
    await get({}, directory);
  });

  it('nor an agent that is no longer where it was', async () => {
    const directory = new PeerDirectory();
    peer.script = (_heard, response) => void response.writeHead(404).end();
    await expect(get({}, directory)).rejects.toThrow('404');
    peer.script = (heard, response) => result(heard, response, task('WORKING'));
    await get({}, directory);
    expect(cards()).toBe(2);
  });
});
