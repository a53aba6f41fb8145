import { PeerInvalidAnswerError } from '../errors.js';
import { AnswerShapeError } from '../wire/fields.js';

/** What `read` reads. Throws PeerInvalidAnswerError for what is no JSON or has not A2A's shape; other errors as they are. */
export function reading<T>(agentUrl: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AnswerShapeError || error instanceof SyntaxError)) throw error;
    throw new PeerInvalidAnswerError(agentUrl, error.message, error);
  }
}
