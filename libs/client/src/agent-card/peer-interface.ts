/** Where and how an agent can be called. */
export interface PeerInterface {
  readonly url: string;
  readonly binding: 'JSONRPC' | 'HTTP+JSON';
  readonly version: '1.0' | '0.3';
  /** Which the card wants clients to send; 1.0 only. */
  readonly tenant?: string;
}
