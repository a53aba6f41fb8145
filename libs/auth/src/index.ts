export { newApiKey } from './api-key.js';
export type { NewApiKey } from './api-key.js';
export { API_KEY_HEADER, ApiKeys, KEY_TTL_MS } from './api-keys.js';
export { JwtTokens } from './jwt-tokens.js';
export type { JwtTokensOptions } from './jwt-tokens.js';
export type { OAuth2Endpoints } from './oauth2-schemes.js';
export { Authentication } from './authentication.js';
export type { Credential } from './credential.js';
