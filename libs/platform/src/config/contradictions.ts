import { isLoopback } from '../loopback.js';
import type { Config } from './config.js';

/** What settings say that cannot be true together, one line each. */
export function contradictions(config: Config): string[] {
  const faults: string[] = [];
  if (config.leaseMs < 2 * config.heartbeatMs) {
    faults.push(
      `LEASE_MS (${config.leaseMs}) is less than twice HEARTBEAT_MS (${config.heartbeatMs}): one late heartbeat would lose a task`,
    );
  }
  if (config.outageMs < config.leaseMs) faults.push(`OUTAGE_MS (${config.outageMs}) is less than LEASE_MS (${config.leaseMs})`);
  if (config.cancelAnswerMs > config.cancelGraceMs) {
    faults.push(`CANCEL_ANSWER_MS (${config.cancelAnswerMs}) is more than CANCEL_GRACE_MS (${config.cancelGraceMs})`);
  }
  if ((config.grpcCertificateFile === undefined) !== (config.grpcKeyFile === undefined)) {
    faults.push('One of GRPC_TLS_CERT_FILE and GRPC_TLS_KEY_FILE is set without the other');
  }
  if (config.auth?.includes('jwt')) {
    if (config.jwtIssuer === undefined) faults.push('CHORUS_AUTH has jwt, and JWT_ISSUER is not set');
    if (config.jwtAudience === undefined) {
      faults.push('CHORUS_AUTH has jwt, and JWT_AUDIENCE is not set: tokens for others would be accepted');
    }
    for (const [name, address, danger] of [
      ['JWT_ISSUER', config.jwtIssuer, 'make tokens'],
      ['JWT_JWKS_URL', config.jwtJwksUrl, 'make tokens'],
      ['OAUTH2_TOKEN_URL', config.oauth2TokenUrl, "read clients' secrets"],
      ['OAUTH2_DEVICE_AUTHORIZATION_URL', config.oauth2DeviceAuthorizationUrl, "read clients' codes"],
    ] as const) {
      if (address !== undefined && !isPrivateOnItsWay(address))
        faults.push(`${name} is not https:, so that anyone between could ${danger}`);
    }
  } else if (config.oauth2TokenUrl !== undefined) {
    faults.push('OAUTH2_TOKEN_URL is set, and CHORUS_AUTH has no jwt: its tokens would not be accepted');
  }
  if (config.oauth2DeviceAuthorizationUrl !== undefined && config.oauth2TokenUrl === undefined) {
    faults.push('OAUTH2_DEVICE_AUTHORIZATION_URL is set without OAUTH2_TOKEN_URL, where its codes become tokens');
  }
  if (config.auth?.includes('mtls') && config.mtlsHeader === undefined) {
    faults.push('CHORUS_AUTH has mtls, and MTLS_HEADER is not set: no certificate would be seen');
  }
  if (config.mtlsHeader !== undefined && !config.auth?.includes('mtls')) {
    faults.push('MTLS_HEADER is set, and CHORUS_AUTH has no mtls: nobody would be let in by it');
  }
  for (const [name, limit] of [
    ['PRINCIPAL_RATE_LIMIT', config.principalRateLimit],
    ['TENANT_RATE_LIMIT', config.tenantRateLimit],
    ['PRINCIPAL_STREAM_LIMIT', config.principalStreamLimit],
    ['TENANT_STREAM_LIMIT', config.tenantStreamLimit],
  ] as const) {
    if (limit !== undefined && config.auth === undefined)
      faults.push(`${name} needs CHORUS_AUTH: without it nobody is told apart`);
  }
  const { cardSigningKey, cardSigningKeyFile, previousCardSigningKey, previousCardSigningKeyFile } = config;
  for (const [name, key, file] of [
    ['CARD_SIGNING_KEY', cardSigningKey, cardSigningKeyFile],
    ['CARD_SIGNING_PREVIOUS_KEY', previousCardSigningKey, previousCardSigningKeyFile],
  ] as const) {
    if (key !== undefined && file !== undefined) faults.push(`${name} and ${name}_FILE are both set: one of them has the key`);
  }
  if (
    (previousCardSigningKey ?? previousCardSigningKeyFile) !== undefined &&
    (cardSigningKey ?? cardSigningKeyFile) === undefined
  ) {
    faults.push('CARD_SIGNING_PREVIOUS_KEY is set without CARD_SIGNING_KEY: no key would sign');
  }
  if (config.previousEncryptionKey !== undefined && config.encryptionKey === undefined) {
    faults.push('CHORUS_ENCRYPTION_PREVIOUS_KEY is set without CHORUS_ENCRYPTION_KEY: no key would encrypt');
  }
  return faults;
}

function isPrivateOnItsWay(address: string): boolean {
  const { protocol, hostname } = new URL(address);
  return protocol === 'https:' || isLoopback(hostname);
}
