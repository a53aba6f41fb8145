import type { OAuthFlows, Scope, SecurityScheme } from '#protocol';

/** Where programs get tokens that this host accepts; what is absent is not declared. */
export interface OAuth2Endpoints {
  /** For programs of their own, with a client id and a secret (RFC 6749, 4.4). */
  readonly tokenUrl?: string;
  /** For programs without a browser, which send a person to one (RFC 8628). Needs `tokenUrl`. */
  readonly deviceAuthorizationUrl?: string;
}

/** What a client may ask for; administration is no part of A2A. */
const SCOPES: Readonly<Record<Exclude<Scope, 'admin'>, string>> = Object.freeze({
  'tasks:read': 'See tasks, and follow them',
  'tasks:write': 'Send messages, and cancel tasks',
  push: 'Have changes of tasks sent to a URL',
  'card:extended': 'See the extended agent card',
});

/** As agent cards declare them, a scheme for each flow. */
export function oauth2Schemes(
  { tokenUrl, deviceAuthorizationUrl }: OAuth2Endpoints,
  audience: readonly string[],
): Readonly<Record<string, SecurityScheme>> {
  if (tokenUrl === undefined) return {};
  const description = `Tokens have to be for the audience ${audience.join(' or ')}`;
  const scheme = (flows: OAuthFlows): SecurityScheme => ({ oauth2SecurityScheme: { description, flows } });
  const scopes = { ...SCOPES };
  return {
    oauth2ClientCredentials: scheme({ clientCredentials: { tokenUrl, scopes } }),
    ...(deviceAuthorizationUrl === undefined
      ? {}
      : { oauth2DeviceCode: scheme({ deviceCode: { deviceAuthorizationUrl, tokenUrl, scopes } }) }),
  };
}
