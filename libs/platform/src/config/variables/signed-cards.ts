import { folder, optional, text } from '../values.js';

const group = 'Signed cards';

export const SIGNED_CARDS = {
  cardSigningKey: optional('CARD_SIGNING_KEY', text, {
    group,
    description: 'Private key that the API signs agent cards with, as PEM (PKCS#8) or JWK. Needs PUBLIC_URL.',
  }),
  cardSigningKeyFile: optional('CARD_SIGNING_KEY_FILE', folder, {
    group,
    description: 'File that holds that key instead.',
  }),
  previousCardSigningKey: optional('CARD_SIGNING_PREVIOUS_KEY', text, {
    group,
    description: 'The key before it, while clients still know it: a private key signs too, a public one is only published.',
  }),
  previousCardSigningKeyFile: optional('CARD_SIGNING_PREVIOUS_KEY_FILE', folder, {
    group,
    description: 'File that holds that key instead.',
  }),
} as const;
