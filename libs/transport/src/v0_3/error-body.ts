import { InvalidParamsError, type A2AError, type FieldViolation, type Form } from '#protocol';

/** An error of 0.3: of JSON-RPC, and as the whole body of HTTP+JSON. Clients read `data` as an object. */
export interface V03ErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data: {
    readonly reason: string;
    readonly domain: string;
    readonly metadata?: Readonly<Record<string, string>>;
    readonly fieldViolations?: readonly FieldViolation[];
  };
}

type Renaming = readonly (readonly [pattern: RegExp, name: string])[];

/** Fields by the names that the client knows them by. */
const NAMES: Readonly<Record<Form, Renaming>> = Object.freeze({
  kind: [
    [/^(message\.parts\[\d+\])\.raw$/, '$1.file.bytes'],
    [/^(message\.parts\[\d+\])\.url$/, '$1.file.uri'],
    [/^(message\.parts\[\d+\])\.filename$/, '$1.file.name'],
    [/^(message\.parts\[\d+\])\.mediaType$/, '$1.file.mimeType'],
    [/^configuration\.returnImmediately$/, 'configuration.blocking'],
    [/^configuration\.taskPushNotificationConfig/, 'configuration.pushNotificationConfig'],
  ],
  proto: [
    [/^message\.parts/, 'message.content'],
    [/^(message\.content\[\d+\])\.raw$/, '$1.file.fileWithBytes'],
    [/^(message\.content\[\d+\])\.url$/, '$1.file.fileWithUri'],
    [/^(message\.content\[\d+\])\.filename$/, '$1.file.name'],
    [/^(message\.content\[\d+\])\.mediaType$/, '$1.file.mimeType'],
    [/^configuration\.returnImmediately$/, 'configuration.blocking'],
    [/^configuration\.taskPushNotificationConfig/, 'configuration.pushNotification'],
  ],
});

const WORDS: Readonly<Record<Form, Renaming>> = Object.freeze({
  kind: [
    [/exactly one of text, raw, url and data/, 'exactly one content: text, file (bytes or uri) or data'],
    [/\bROLE_USER\b/, 'user'],
  ],
  proto: [[/exactly one of text, raw, url and data/, 'exactly one content: text, file (fileWithBytes or fileWithUri) or data']],
});

const renamed = (text: string, renaming: Renaming): string =>
  renaming.reduce((whole, [pattern, name]) => whole.replace(pattern, name), text);

/** `error` as a client of 0.3 reads it, its violations by the names of `form`. */
export function v03ErrorBody(error: A2AError, form: Form): V03ErrorBody {
  const { row, info, message, fieldViolations } = namedFor(error, form);
  return {
    code: row.code,
    message,
    data: {
      reason: row.reason,
      domain: row.domain,
      ...(Object.keys(info).length > 0 ? { metadata: info } : {}),
      ...(fieldViolations.length > 0 ? { fieldViolations } : {}),
    },
  };
}

/** `error` with its violations by the names that clients of `form` know. */
export function namedFor(error: A2AError, form: Form): A2AError {
  if (!(error instanceof InvalidParamsError)) return error;
  return new InvalidParamsError(
    error.fieldViolations.map(({ field, description }) => ({
      field: renamed(field, NAMES[form]),
      description: renamed(description, WORDS[form]),
    })),
  );
}
