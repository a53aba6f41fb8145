import { kit, probe, test } from '../evidence.mjs';
import { row } from './row.mjs';

/** Agent cards, their caching and their signatures. */
export const CARDS = [
  row(
    'The card has what is required, in ProtoJSON',
    '4.4.1',
    kit('CARD-STRUCT-001'),
    probe('card.required-fields'),
    probe('card.required-values'),
    probe('card.protojson'),
  ),
  row(
    'It is at its well-known address, and names every interface',
    '8',
    kit('CARD-DISC-001'),
    kit('CARD-PROTO-001'),
    kit('CARD-PROTO-002'),
    kit('BIND-FIELD-001'),
    probe('card.interfaces'),
  ),
  row(
    'It can be cached: Cache-Control, ETag, Last-Modified, 304',
    '8.6',
    kit('CARD-CACHE-001'),
    kit('CARD-CACHE-002'),
    kit('CARD-CACHE-003'),
    probe('card.cache-control'),
    probe('card.etag'),
    probe('card.not-modified'),
  ),
  row(
    'It has two forms while 0.3 is served, and clients of 0.3 can read it',
    'A',
    probe('legacy.card'),
    test('apps/api/src/card-forms.spec.ts', 'the forms of a card'),
  ),
  row(
    'It is signed: a JSON Web Signature over the canonical form, its keys served',
    '8.4',
    probe('card.signature'),
    test('apps/api/src/card-forms.spec.ts', 'a signed card'),
  ),
  row(
    'The canonical form: required fields that are empty, explicit `false`, unset fields, unicode, numbers',
    '8.4.1',
    test('libs/signing/src/canonical-card.spec.ts'),
  ),
  row('Keys are made and replaced; a card that was changed does not verify', '8.4.3', test('test/e2e/signed-cards.spec.ts')),
];
