import { ApiKeys, Authentication, ClientCertificates, JwtTokens, type Credential } from '#auth';
import type { ApiKeyStore, Logger } from '#core';
import type { Config } from '#platform';

/** What callers have to show, as it is configured; undefined when nobody is asked. */
export function authenticationOf(config: Config, keys: ApiKeyStore, logger: Logger): Authentication | undefined {
  if (config.auth === undefined) return undefined;
  const { auth } = config;
  const kinds = {
    apikey: () => new ApiKeys(keys),
    jwt: () => jwtTokens(config, logger),
    // Last: a connection has its certificate whatever is sent over it.
    mtls: () => new ClientCertificates(keys),
  };
  const asked = (Object.keys(kinds) as (keyof typeof kinds)[]).filter((kind) => auth.includes(kind));
  return new Authentication(asked.map((kind): Credential => kinds[kind]()));
}

/** The configuration has an issuer and an audience where it has tokens. */
function jwtTokens(config: Config, logger: Logger): JwtTokens {
  return new JwtTokens({
    issuer: config.jwtIssuer as string,
    audience: config.jwtAudience as readonly string[],
    ...(config.jwtJwksUrl === undefined ? {} : { jwksUrl: config.jwtJwksUrl }),
    algorithms: config.jwtAlgorithms,
    clockSkewMs: config.jwtClockSkewMs,
    tenantClaim: config.jwtTenantClaim,
    oauth2: {
      ...(config.oauth2TokenUrl === undefined ? {} : { tokenUrl: config.oauth2TokenUrl }),
      ...(config.oauth2DeviceAuthorizationUrl === undefined
        ? {}
        : { deviceAuthorizationUrl: config.oauth2DeviceAuthorizationUrl }),
    },
    logger,
  });
}
