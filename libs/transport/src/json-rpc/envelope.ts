import { type A2AError, InvalidRequestError, JsonParseError, LIMIT_VARIABLES, type Limits } from '#protocol';

export type JsonRpcId = string | number | null;

export interface JsonRpcRequest {
  /** Absent for a notification. */
  readonly id?: JsonRpcId;
  readonly method: string;
  readonly params: unknown;
}

/** An envelope that is not one, with the id as far as it could be read. */
export class EnvelopeError extends Error {
  constructor(
    readonly id: JsonRpcId,
    readonly error: A2AError,
  ) {
    super(error.message);
  }
}

/** The request in a body. Throws EnvelopeError for what is not JSON (-32700) or not one JSON-RPC 2.0 request (-32600). */
export function parseEnvelope(body: string, { maxIdLength }: Pick<Limits, 'maxIdLength'>): JsonRpcRequest {
  let envelope: unknown;
  try {
    envelope = JSON.parse(body);
  } catch {
    throw new EnvelopeError(null, new JsonParseError());
  }
  if (Array.isArray(envelope)) throw invalid(null, 'A batch is not supported: send one request');
  if (typeof envelope !== 'object' || envelope === null) throw invalid(null, 'The request must be an object');
  const { jsonrpc, id, method, params } = envelope as Readonly<Record<string, unknown>>;
  if (id !== undefined && !isId(id, maxIdLength)) {
    throw invalid(
      null,
      `id must be null, a string of at most ${maxIdLength} characters (limit ${LIMIT_VARIABLES.maxIdLength}), or a number that is exact as a double`,
    );
  }
  if (jsonrpc !== '2.0') throw invalid(id ?? null, 'jsonrpc must be "2.0"');
  if (typeof method !== 'string') throw invalid(id ?? null, 'method must be a string');
  return id === undefined ? { method, params } : { id, method, params };
}

/**
 * May `id` be repeated in every answer and every frame of a stream, and be the same there? A long one would multiply; a number
 * beyond 2^53 has become another one when it was read, and its client would not know its answer.
 */
function isId(id: unknown, maxIdLength: number): id is JsonRpcId {
  if (typeof id === 'string') return id.length <= maxIdLength;
  return id === null || Number.isSafeInteger(id) || (Number.isFinite(id) && !Number.isInteger(id));
}

const invalid = (id: JsonRpcId, message: string): EnvelopeError => new EnvelopeError(id, new InvalidRequestError(message));

/** What precedes a result's text; `}` follows it. */
export const resultHead = (id: JsonRpcId): string => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`;

/** `error` is what the response's `error` is to be. */
export const errorResponse = (id: JsonRpcId, error: object): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${JSON.stringify(error)}}`;

/** Errors of JSON-RPC are answered with 200, but for those that the transport itself must see. */
const TRANSPORT_STATUSES = new Set([401, 403, 405, 413, 415, 429, 503]);

export const statusOf = ({ name, row }: A2AError): number =>
  TRANSPORT_STATUSES.has(row.http) || name === 'AgentNotFoundError' ? row.http : 200;
