import type { Artifact, JsonValue, Message, Part } from '#protocol';

export interface FileDescription {
  readonly filename?: string;
  readonly mediaType?: string;
}

export const text = (content: string): Part => ({ text: content });

/** Any JSON value. */
export const data = (value: JsonValue): Part => ({ data: value });

/** Bytes, sent inline. */
export const file = (bytes: Uint8Array, description: FileDescription = {}): Part => ({
  raw: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
  ...description,
});

/** A file that the client fetches itself. */
export const fileUrl = (url: string, description: FileDescription = {}): Part => ({ url, ...description });

/** The text parts of a message or an artifact, one after the other. */
export const textOf = ({ parts }: Pick<Message | Artifact, 'parts'>): string => parts.map((part) => part.text ?? '').join('');

/** The first data part, or undefined. */
export const dataOf = ({ parts }: Pick<Message | Artifact, 'parts'>): JsonValue | undefined =>
  parts.find((part) => part.data !== undefined)?.data;
