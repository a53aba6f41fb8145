export { A2AClient } from './a2a-client.js';
export type { A2AClientParts, A2AClientSettings, CallOptions, FollowOptions } from './a2a-client.js';
export { PeerDirectory } from './agent-card/peer-directory.js';
export type { PeerDirectoryOptions } from './agent-card/peer-directory.js';
export type { PeerOptions } from './agent-card/peer-options.js';
export type { Received } from './bindings/binding.js';
export {
  PeerAnsweredError,
  PeerCredentialError,
  PeerError,
  PeerInvalidAnswerError,
  PeerNotServedError,
  PeerRefusedError,
  PeerUnavailableError,
} from './errors.js';
