import { claim, skip, type Check } from '../check.js';
import { getCard } from '../target.js';
import { at, listOf, show } from '../wire/json.js';
import { verifyCard } from '../card-signature.js';

/** How the card is served (section 8.6), and its signatures (section 8.4). */
export const CARD_HTTP_CHECKS: readonly Check[] = [
  {
    id: 'card.content-type',
    title: 'The card is served as JSON',
    requirement: 'SHOULD',
    section: '14.3',
    mend: 'Answer with Content-Type: application/json.',
    run: ({ target: { cardReply } }) => {
      const type = cardReply.headers['content-type'] ?? 'none';
      claim(/^application\/(a2a\+)?json\b/i.test(type), `Content-Type is ${type}`);
    },
  },
  {
    id: 'card.cache-control',
    title: 'The card says how long it may be kept',
    requirement: 'SHOULD',
    section: '8.6.1',
    mend: 'Answer with Cache-Control: max-age=<seconds>.',
    run: ({ target: { cardReply } }) => {
      const value = cardReply.headers['cache-control'];
      claim(value !== undefined && /max-age=\d+/.test(value), `Cache-Control is ${value ?? 'absent'}`);
    },
  },
  {
    id: 'card.etag',
    title: 'The card has an ETag',
    requirement: 'SHOULD',
    section: '8.6.1',
    mend: 'Answer with an ETag made from the version or a hash of the card.',
    run: ({ target: { cardReply } }) => {
      claim(/^(W\/)?".*"$/.test(cardReply.headers['etag'] ?? ''), `ETag is ${cardReply.headers['etag'] ?? 'absent'}`);
    },
  },
  {
    id: 'card.not-modified',
    title: 'A conditional request for an unchanged card is answered with 304',
    requirement: 'SHOULD',
    section: '8.6.2',
    mend: 'Compare If-None-Match with the ETag, and answer 304 without a body when they are equal.',
    run: async ({ target: { cardReply, cardUrl, limits } }) => {
      const etag = cardReply.headers['etag'] ?? skip('the card has no ETag, see card.etag');
      const { status, text } = await getCard(cardUrl, limits, { 'if-none-match': etag });
      claim(
        status === 304 && text === '',
        `If-None-Match with the ETag is answered with ${status} and ${text.length} characters`,
      );
    },
  },
  {
    id: 'card.signature',
    title: 'The signatures of the card can be verified',
    requirement: 'MUST',
    section: '8.4',
    mend: 'Sign the canonical form of section 8.4.1 as it is served, and publish the key under the kid that the signature names.',
    run: async ({ target }) => {
      const signatures = listOf(target.card['signatures']);
      if (signatures.length === 0) skip('the card is not signed');
      const verdicts = await Promise.all(signatures.slice(0, 8).map((signature) => verifyCard(target, signature)));
      if (verdicts.every(({ verdict }) => verdict === 'no key')) skip(`${verdicts[0]?.reason}; name the keys with --jwks`);
      const wrong = verdicts.filter(({ verdict }) => verdict === 'wrong');
      claim(wrong.length === 0, wrong.map(({ reason }) => reason).join('; '), show(at(signatures, 0)));
    },
  },
];
