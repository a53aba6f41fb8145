/** What one request may hold. */
export interface Limits {
  /** Parts of one message. */
  readonly maxParts: number;
  /** Nesting of metadata and of a data part's value: `{"a":1}` is one level. */
  readonly maxMetadataDepth: number;
  /** UTF-16 code units of messageId, taskId, contextId, tenant and the like. */
  readonly maxIdLength: number;
  /** Tasks of one page; the specification allows no more than 100. */
  readonly maxPageSize: number;
  /** Items of `extensions`, `referenceTaskIds` and `acceptedOutputModes`. */
  readonly maxListItems: number;
}

/**
 * What a violation calls the limit: the variable that whoever runs the host can set, so that a client's author can ask for it.
 * The others are fixed.
 */
export const LIMIT_VARIABLES = Object.freeze({
  maxParts: 'MAX_PARTS',
  maxMetadataDepth: 'MAX_METADATA_DEPTH',
  maxIdLength: 'MAX_ID_LENGTH',
} satisfies Partial<Record<keyof Limits, string>>);

/**
 * Protobuf parsers give up at 100 nested messages and a level of a Struct costs three, beside those around it: what is
 * deeper than 30 levels could be accepted as JSON and then not be read back over gRPC.
 */
export const DEFAULT_LIMITS: Limits = Object.freeze({
  maxParts: 1000,
  maxMetadataDepth: 30,
  maxIdLength: 256,
  maxPageSize: 100,
  maxListItems: 100,
});
