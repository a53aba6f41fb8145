import { generateKeyPairSync, sign } from 'node:crypto';
import { canonicalCard } from '../card-signature.js';
import type { Json, JsonObject } from '../wire/json.js';
import type { Faulty } from './faults.spec-support.js';

/** `full` declares everything and wants credentials; `plain` declares nothing; `strict` requires an extension. */
export type Profile = 'full' | 'plain' | 'strict';

export const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

export function fakeCard(profile: Profile, origin: string, grpcPort: number, faulty: Faulty): JsonObject {
  const full = profile === 'full';
  const host = faulty('card.usable-interface') ? 'other.invalid' : undefined;
  const at = (path: string): string => (host ? `http://${host}${path}` : `${origin}${path}`);
  const version = faulty('card.version-format') ? '1.0.0' : '1.0';
  const interfaces: JsonObject[] = [
    { url: at('/rpc'), protocolBinding: 'JSONRPC', protocolVersion: version },
    { url: at('/rest'), protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
    { url: host ? `${host}:1` : `127.0.0.1:${grpcPort}`, protocolBinding: 'GRPC', protocolVersion: '1.0' },
    ...(full ? [{ url: at('/rpc'), protocolBinding: 'JSONRPC', protocolVersion: '0.3' }] : []),
    ...(faulty('card.interfaces') ? [{ url: '/relative', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }] : []),
  ];
  const skill = { id: 'echo', name: 'Echo', description: 'Says it again.', tags: faulty('card.required-values') ? [] : ['text'] };
  const card: JsonObject = {
    name: 'Fake',
    ...(!faulty('card.required-fields') && { description: 'An agent with faults.' }),
    version: '1.0.0',
    supportedInterfaces: interfaces,
    capabilities: {
      streaming: full,
      pushNotifications: full,
      extendedAgentCard: full,
      extensions: [{ uri: 'https://example.com/extensions/known/v1', ...(profile === 'strict' && { required: true }) }],
    },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: [faulty('card.media-types') ? 'plain text' : 'text/plain'],
    skills: faulty('card.skill-ids') ? [skill, skill] : [skill],
    ...(faulty('card.protojson') && { documentation_url: 'https://example.com' }),
    ...(full && {
      securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
      securityRequirements: [
        { schemes: { bearer: { list: [] } } },
        ...(faulty('card.security') ? [{ schemes: { nobody: { list: [] } } }] : []),
      ],
    }),
  };
  return full
    ? { ...card, signatures: [signatureOf(card, origin)], ...(faulty('card.signature') && { name: 'Tampered' }) }
    : card;
}

function signatureOf(card: JsonObject, origin: string): Json {
  const header = Buffer.from(JSON.stringify({ alg: 'ES256', typ: 'JOSE', kid: 'fake', jku: `${origin}/jwks.json` })).toString(
    'base64url',
  );
  const payload = Buffer.from(canonicalCard(card)).toString('base64url');
  const signature = sign('sha256', Buffer.from(`${header}.${payload}`), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return { protected: header, signature: signature.toString('base64url') };
}
