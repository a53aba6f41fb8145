import { isAlternativeName, nameOfCertificate, newApiKey, registeredName } from '#auth';
import { ApiKeyExistsError, type ApiKey } from '#core';
import { ConfigError } from '#platform';
import { isName, isScope, SCOPES, type Scope } from '#protocol';
import { readFile } from 'node:fs/promises';
import { parseExpiry } from './expiry.js';
import { OWN_OPERATIONS } from '../audit/audited.js';
import { changeApiKeys } from './with-api-keys.js';

/** As they come from the command line. */
export interface KeyOptions {
  readonly tenant?: string;
  readonly allTenants?: boolean;
  readonly principal: string;
  readonly scope: readonly string[];
  readonly agent?: readonly string[];
  readonly expires?: string;
  /** A file with the client certificate that stands in the place of a key. */
  readonly certificate?: string;
  /** A name that such certificates have. */
  readonly san?: string;
}

const MOST_PRINCIPAL_LENGTH = 256;

/**
 * Makes a key, whose secret is in the result and nowhere else, or registers a client certificate, which has none.
 * @throws ConfigError for options that cannot be, or as `withApiKeys`
 */
export async function createKey(options: KeyOptions): Promise<{ readonly id: string; readonly key?: string }> {
  const grants = grantsOf(options, Date.now());
  const name = await certificateName(options);
  const { id, secretHash, ...key } = name === undefined ? newApiKey() : registeredName(name);
  const subject = `key ${id} of principal ${grants.principal}`;
  const change = {
    operation: OWN_OPERATIONS.createKey,
    subject,
    ...(grants.tenant === undefined ? {} : { tenant: grants.tenant }),
  };
  try {
    await changeApiKeys(change, (keys) => keys.add({ id, secretHash, ...grants }));
  } catch (error) {
    if (!(error instanceof ApiKeyExistsError)) throw error;
    throw new ConfigError(`The certificate is registered already: revoke ${id} first`);
  }
  return { id, ...key };
}

async function certificateName({ certificate, san }: KeyOptions): Promise<string | undefined> {
  if (certificate === undefined) {
    if (san !== undefined && !isAlternativeName(san)) {
      throw new ConfigError(`--san ${san} is not URI:…, DNS:… or email:…`);
    }
    return san;
  }
  if (san !== undefined) throw new ConfigError('--certificate and --san contradict each other');
  const text = await readFile(certificate, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(`--certificate ${certificate} cannot be read (${error.code})`);
  });
  try {
    return nameOfCertificate(text);
  } catch {
    throw new ConfigError(`--certificate ${certificate} is no certificate as PEM`);
  }
}

function grantsOf(
  { tenant: named, allTenants = false, principal, scope, agent, expires }: KeyOptions,
  createdAt: number,
): Omit<ApiKey, 'id'> {
  if (allTenants && named !== undefined) throw new ConfigError('--all-tenants and --tenant contradict each other');
  if (allTenants && scope.some((word) => word !== 'admin')) {
    throw new ConfigError('--all-tenants is for administration alone: say --scope admin');
  }
  const tenant = named ?? '';
  if (tenant !== '' && !isName(tenant)) throw new ConfigError(`--tenant ${tenant} is not 1 to 64 of A-Z a-z 0-9 . _ ~ -`);
  if (principal.trim() === '' || principal.length > MOST_PRINCIPAL_LENGTH || /\p{Cc}/u.test(principal)) {
    throw new ConfigError(`--principal must be 1 to ${MOST_PRINCIPAL_LENGTH} characters without control characters`);
  }
  const unknown = scope.find((word) => !isScope(word));
  if (unknown !== undefined) throw new ConfigError(`--scope ${unknown} is not one of ${SCOPES.join(', ')}`);
  const nameless = agent?.find((id) => !isName(id));
  if (nameless !== undefined) throw new ConfigError(`--agent ${nameless} is not the id of an agent`);
  const expiresAt = expires === undefined ? undefined : parseExpiry(expires, createdAt);
  if (expires !== undefined && expiresAt === undefined) {
    throw new ConfigError(`--expires ${expires} is not a time to come, as 12h, 90d or 2027-01-31`);
  }
  return {
    ...(allTenants ? {} : { tenant }),
    principal,
    scopes: [...new Set(scope as readonly Scope[])],
    ...(agent === undefined ? {} : { agents: [...new Set(agent)] }),
    createdAt,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}
