import { choices, headerName, milliseconds, optional, text, trueOrFalse, url, variable, words } from '../values.js';

const group = 'Access';

export const ACCESS = {
  auth: optional('CHORUS_AUTH', choices('apikey', 'jwt', 'mtls'), {
    group,
    description:
      'What callers show who they are with, any of: `apikey`, a key of `chorus keys create`; `jwt`, a token of an identity provider; `mtls`, a client certificate that is registered with `chorus keys create`. Without it whoever reaches the API may do anything, so that it listens on this machine only.',
  }),
  jwtIssuer: optional('JWT_ISSUER', url('https:', 'http:'), {
    group,
    description: 'The identity provider, as its tokens name it in `iss`. `http:` only on this machine.',
  }),
  jwtAudience: optional('JWT_AUDIENCE', words, {
    group,
    description: 'What tokens must name in `aud`, any of these.',
  }),
  jwtJwksUrl: optional('JWT_JWKS_URL', url('https:', 'http:'), {
    group,
    description: "Where the provider's keys are. Without it: where its OpenID Connect discovery document says.",
  }),
  jwtAlgorithms: variable(
    'JWT_ALGORITHMS',
    choices('RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'),
    {
      group,
      default: 'RS256,ES256,EdDSA',
      description: 'Signatures of tokens that are accepted.',
    },
  ),
  jwtTenantClaim: variable('JWT_TENANT_CLAIM', text, {
    group,
    default: 'tenant',
    description: 'The claim that holds the tenant; a token without it is for the tenant without a name.',
  }),
  jwtClockSkewMs: variable('JWT_CLOCK_SKEW_MS', milliseconds(0, 600_000), {
    group,
    default: '30000',
    description: 'How far the clocks of the provider and of this host may be apart.',
  }),
  oauth2TokenUrl: optional('OAUTH2_TOKEN_URL', url('https:', 'http:'), {
    group,
    description:
      "Where programs get the provider's tokens with an id and a secret; agent cards then declare the client credentials flow. `http:` only on this machine.",
  }),
  oauth2DeviceAuthorizationUrl: optional('OAUTH2_DEVICE_AUTHORIZATION_URL', url('https:', 'http:'), {
    group,
    description:
      'Where programs without a browser begin to have a person sign in elsewhere; agent cards then declare the device flow too. Needs OAUTH2_TOKEN_URL.',
  }),
  mtlsHeader: optional('MTLS_HEADER', headerName, {
    group,
    description:
      'The header in which the proxies of TRUST_PROXY hand on the certificate of a client that they have verified: `x-forwarded-client-cert`, `client-cert`, or one that nginx sets to `$ssl_client_escaped_cert`. They have to remove it from what clients send.',
  }),
  insecure: variable('CHORUS_INSECURE', trueOrFalse, {
    group,
    default: 'false',
    description: '`true` lets the API listen on an address of the network without CHORUS_AUTH.',
  }),
} as const;
