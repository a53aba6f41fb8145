import type { RawResponse } from './response-parser.js';

/** What requests go over. */
export interface Connection {
  /** Sends the bytes of a whole request; rejects when the connection fails, ends early or is silent for 30 s. */
  exchange(request: Buffer): Promise<RawResponse>;
  close(): void;
}
