import { OPERATIONS, type AgentCard, type SecurityScheme } from '#protocol';

type Security = Pick<AgentCard, 'securitySchemes' | 'securityRequirements'>;
type Schemes = Readonly<Record<string, SecurityScheme>>;

/** A scheme of OpenAPI 3, as 0.3 has it. */
type LegacyScheme =
  | { readonly type: 'apiKey'; readonly in: string; readonly name: string; readonly description?: string }
  | { readonly type: 'http'; readonly scheme: string; readonly bearerFormat?: string; readonly description?: string }
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
export function legacySecurityOf({ securitySchemes = {}, securityRequirements }: Security): LegacySecurity {
  if (securityRequirements === undefined) return {};
  return {
    securitySchemes: Object.fromEntries(Object.entries(securitySchemes).map(([name, scheme]) => [name, legacyScheme(scheme)])),
    security: securityRequirements.map(({ schemes }) =>
      Object.fromEntries(Object.entries(schemes).map(([name, { list }]) => [name, list])),
    ),
  };
}

/** The same in the package `a2a.v1`. */
export const legacyProtoSecurityOf = ({ securitySchemes, securityRequirements }: Security): object =>
  securityRequirements === undefined ? {} : { securitySchemes, security: securityRequirements };

/** Both at once: the forms of a scheme have no field in common. */
export function securityOfBoth(security: Security): Security & Pick<LegacySecurity, 'security'> {
  const { securitySchemes } = security;
  if (securitySchemes === undefined) return {};
  const legacy = legacySecurityOf(security);
  const both = Object.entries(securitySchemes).map(([name, scheme]) => [name, { ...scheme, ...legacy.securitySchemes?.[name] }]);
  return { ...legacy, ...security, securitySchemes: Object.fromEntries(both) as NonNullable<Security['securitySchemes']> };
}

function legacyScheme(scheme: SecurityScheme): LegacyScheme {
  if ('apiKeySecurityScheme' in scheme) {
    const { location, ...rest } = scheme.apiKeySecurityScheme;
    return { type: 'apiKey', in: location, ...rest };
  }
  if ('httpAuthSecurityScheme' in scheme) return { type: 'http', ...scheme.httpAuthSecurityScheme };
  return { type: 'openIdConnect', ...scheme.openIdConnectSecurityScheme };
}
