import { OPERATIONS, type AgentCard, type OAuthFlows, type SecurityScheme } from '#protocol';

type Security = Pick<AgentCard, 'securitySchemes' | 'securityRequirements'>;
type Schemes = Readonly<Record<string, SecurityScheme>>;

/** A scheme of OpenAPI 3, as 0.3 has it. */
type LegacyScheme =
  | { readonly type: 'apiKey'; readonly in: string; readonly name: string; readonly description?: string }
  | { readonly type: 'http'; readonly scheme: string; readonly bearerFormat?: string; readonly description?: string }
  | { readonly type: 'mutualTLS'; readonly description?: string }
  | { readonly type: 'oauth2'; readonly flows: OAuthFlows; readonly description?: string }
  | { readonly type: 'openIdConnect'; readonly openIdConnectUrl: string; readonly description?: string };

export interface LegacySecurity {
  readonly securitySchemes?: Readonly<Record<string, LegacyScheme>>;
  /** One of them is enough. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
}

/**
 * What the operations need that every agent has. Not left empty: verifiers of signed cards drop empty lists, and would take the
 * signature of a card that has some for a forged one.
 */
const NEEDED_SCOPES: readonly string[] = [
  ...new Set(
    Object.values(OPERATIONS)
      .filter(({ capability }) => capability === undefined)
      .map(({ scope }) => scope),
  ),
];

/** What a 1.0 card says of the schemes that this host enforces, each of which is enough; nothing when it enforces none. */
export function securityOf(schemes: Schemes = {}): Security {
  const names = Object.keys(schemes);
  if (names.length === 0) return {};
  return {
    securitySchemes: { ...schemes },
    securityRequirements: names.map((name) => ({ schemes: { [name]: { list: [...NEEDED_SCOPES] } } })),
  };
}

/** The same as 0.3 says it. */
export function legacySecurityOf(security: Security): LegacySecurity {
  const { securitySchemes = {}, securityRequirements } = knownIn03(security);
  if (securityRequirements === undefined) return {};
  return {
    securitySchemes: Object.fromEntries(Object.entries(securitySchemes).map(([name, scheme]) => [name, legacyScheme(scheme)])),
    security: securityRequirements.map(({ schemes }) =>
      Object.fromEntries(Object.entries(schemes).map(([name, { list }]) => [name, list])),
    ),
  };
}

/** The same in the package `a2a.v1`. */
export function legacyProtoSecurityOf(security: Security): object {
  const { securitySchemes, securityRequirements } = knownIn03(security);
  return securityRequirements === undefined ? {} : { securitySchemes, security: securityRequirements };
}

/** Both at once: the forms of a scheme have no field in common. What 0.3 does not know its parsers would refuse with the whole card. */
export function securityOfBoth(security: Security): Security & Pick<LegacySecurity, 'security'> {
  const known = knownIn03(security);
  const { securitySchemes } = known;
  if (securitySchemes === undefined) return {};
  const legacy = legacySecurityOf(known);
  const both = Object.entries(securitySchemes).map(([name, scheme]) => [name, { ...scheme, ...legacy.securitySchemes?.[name] }]);
  return { ...legacy, ...known, securitySchemes: Object.fromEntries(both) as NonNullable<Security['securitySchemes']> };
}

/** Without the device flow, which 1.0 brought. */
function knownIn03({ securitySchemes, securityRequirements }: Security): Security {
  if (securitySchemes === undefined || securityRequirements === undefined) return {};
  const known = Object.entries(securitySchemes).filter(([, scheme]) => !hasDeviceFlow(scheme));
  const names = new Set(known.map(([name]) => name));
  return {
    securitySchemes: Object.fromEntries(known),
    securityRequirements: securityRequirements.filter(({ schemes }) => Object.keys(schemes).every((name) => names.has(name))),
  };
}

const hasDeviceFlow = (scheme: SecurityScheme): boolean =>
  'oauth2SecurityScheme' in scheme && 'deviceCode' in scheme.oauth2SecurityScheme.flows;

function legacyScheme(scheme: SecurityScheme): LegacyScheme {
  if ('apiKeySecurityScheme' in scheme) {
    const { location, ...rest } = scheme.apiKeySecurityScheme;
    return { type: 'apiKey', in: location, ...rest };
  }
  if ('httpAuthSecurityScheme' in scheme) return { type: 'http', ...scheme.httpAuthSecurityScheme };
  if ('mtlsSecurityScheme' in scheme) return { type: 'mutualTLS', ...scheme.mtlsSecurityScheme };
  if ('oauth2SecurityScheme' in scheme) return { type: 'oauth2', ...scheme.oauth2SecurityScheme };
  return { type: 'openIdConnect', ...scheme.openIdConnectSecurityScheme };
}
