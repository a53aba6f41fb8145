import type { FrameStream } from '#core';
import {
  toJsonRpcError,
  VersionNotSupportedError,
  type A2AError,
  type AgentCard,
  type OperationName,
  type AnswerForm,
  type Form,
  KIND_FORM,
  PROTO_FORM,
} from '#protocol';
import { legacyCardOf } from '../agent-card/card-forms.js';
import type { Dialect, RestDialect, RpcDialect } from '../dialect.js';
import type { Host } from '../host.js';
import { headerOf, type HttpRequest } from '../http.js';
import { JSON_TYPE } from '../media-type.js';
import { requestedVersion } from '../requested-version.js';
import { v03ErrorBody } from './error-body.js';
import { v03OperationOf } from './methods.js';
import { readRequest, type V03Operation } from './read-request.js';
import { V03Frames } from './v03-frames.js';
import { isWritten, writeAnswer } from './write-answer.js';

/** What the bindings share. No path and no method of 0.3 lists tasks, so every operation that comes here is one of 0.3. */
export const dialectOf = (form: Form, answers: AnswerForm, card: (card: AgentCard) => object): Dialect<object> => ({
  version: '0.3',
  extensionsHeader: 'x-a2a-extensions',
  requestedExtensions: ({ headers }) => headerOf(headers, 'x-a2a-extensions') ?? headerOf(headers, 'a2a-extensions'),
  input: (operation, input) => readRequest(operation as V03Operation, input, form),
  result: (operation, text) =>
    isWritten(operation) ? writeAnswer(operation, text, answers) : JSON.stringify(card(JSON.parse(text) as AgentCard)),
  frames: (operation: OperationName, stream: FrameStream) =>
    new V03Frames(stream, { form: answers, endsAtQuestion: operation === 'subscribeToTask' }),
  errorBody: (error) => v03ErrorBody(error, form),
});

/** JSON-RPC of 0.3. */
export const RPC_V03: RpcDialect = Object.freeze({
  ...dialectOf('kind', KIND_FORM, legacyCardOf),
  // Whoever calls a method of 1.0 reads errors as 1.0 has them.
  errorBody: (error: A2AError) =>
    error instanceof VersionNotSupportedError ? toJsonRpcError(error) : v03ErrorBody(error, 'kind'),
  operationOf: (_host: Host, request: HttpRequest, method: string) => v03OperationOf(method, requestedVersion(request)),
  // Official clients of 0.3 look into no answer that is not a stream where they asked for one: the error would be lost.
  streamsErrors: ({ headers }: HttpRequest, operation: OperationName) =>
    (operation === 'sendStreamingMessage' || operation === 'subscribeToTask') &&
    headerOf(headers, 'accept')?.includes('text/event-stream') === true,
});

/** HTTP+JSON of 0.3. Official clients read the card there as they read it everywhere else, and not as the proto has it. */
export const REST_V03: RestDialect = Object.freeze({
  ...dialectOf('proto', PROTO_FORM, legacyCardOf),
  // The official Python client goes by a name, and takes each 404 without one for a path that there is not.
  errorBody: (error: A2AError) => ({ type: error.name, ...v03ErrorBody(error, 'proto') }),
  requireVersion: () => undefined,
  typeOf: () => JSON_TYPE,
});
