export { addressesBy, dnsAddresses, systemAddresses } from './address-resolver.js';
export type { AddressResolver, HostAddress } from './address-resolver.js';
export { AllowEntryError, OutboundFailedError, OutboundRefusedError, OutboundTimeoutError } from './errors.js';
export type { RefusalReason } from './errors.js';
export { GuardedFetch } from './guarded-fetch.js';
export type { GuardedFetchOptions, OutboundRequest } from './guarded-fetch.js';
export { OutboundPolicy } from './outbound-policy.js';
export type { Destination } from './outbound-policy.js';
