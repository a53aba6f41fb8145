import {
  appendTo,
  artifact,
  ask,
  completed,
  data,
  defineAgent,
  file,
  fileUrl,
  lastChunk,
  message as answer,
  reject,
  sleep,
  text,
  working,
  type AgentEvent,
  type ExecutionContext,
  type Part,
} from 'chorus/agents';

type Scenario = (context: ExecutionContext) => AsyncIterable<AgentEvent> | Iterable<AgentEvent>;

const OUTPUT_FILE = { filename: 'output.txt', mediaType: 'text/plain' };
const outputFile = (content: string): Part => file(Buffer.from(content), OUTPUT_FILE);

const withArtifact =
  (...parts: Part[]): Scenario =>
  () => [artifact('artifact-1', ...parts), completed()];

const streamed =
  (...parts: Part[]): Scenario =>
  () => [working(), artifact('artifact-1', ...parts), completed()];

/** What the official compatibility kit expects, by the prefix of `messageId`. */
const SCENARIOS: Readonly<Record<string, Scenario>> = {
  'tck-complete-task': () => [completed('Hello from TCK')],
  'tck-artifact-text': withArtifact(text('Generated text content')),
  'tck-artifact-file': withArtifact(outputFile('Generated file content')),
  'tck-artifact-file-url': withArtifact(fileUrl('https://example.com/output.txt', OUTPUT_FILE)),
  'tck-artifact-data': withArtifact(data({ key: 'value', count: 42 })),
  'tck-message-response': () => [answer('Direct message response')],
  'tck-input-required': () => [ask('More input is needed')],
  'tck-reject-task': () => [reject('rejected')],
  'tck-stream-001': streamed(text('Stream hello from TCK')),
  'tck-stream-002': () => [completed()],
  'tck-stream-003': streamed(text('Stream task lifecycle')),
  'tck-stream-ordering-001': streamed(text('Ordered output')),
  'tck-stream-artifact-text': streamed(text('Streamed text content')),
  'tck-stream-artifact-file': streamed(outputFile('Streamed file content')),
  'tck-stream-artifact-chunked': () => [
    working(),
    appendTo('artifact-1', text('chunk-1 ')),
    lastChunk('artifact-1', text('chunk-2')),
    completed(),
  ],
  'test-resubscribe-message-id': async function* ({ signal }) {
    yield working();
    await sleep(4000, signal);
    yield completed();
  },
};

const BY_LENGTH = Object.keys(SCENARIOS).sort((a, b) => b.length - a.length);

const scenarioOf = ({ message, task }: ExecutionContext): Scenario => {
  const ids = [message.messageId, ...(task.history ?? []).map(({ messageId }) => messageId)];
  const known = ids.map((id) => BY_LENGTH.find((prefix) => id.startsWith(prefix))).find((prefix) => prefix !== undefined);
  return known ? (SCENARIOS[known] as Scenario) : () => [completed('Done')];
};

/** The system under test of the official A2A compatibility kit: `CHORUS_DEFAULT_AGENT=tck PORT=9999 npm start`. */
export default defineAgent({
  id: 'tck',
  answers: 'either',
  card: {
    name: 'TCK',
    description: 'Behaves as the official A2A compatibility kit expects.',
    version: '1.0.0',
    provider: { organization: 'Chorus', url: 'https://example.com' },
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain', 'application/json', 'application/octet-stream'],
    skills: [{ id: 'tck', name: 'Compatibility kit', description: 'Follows the kit’s scenarios.', tags: ['sample', 'tck'] }],
  },
  async *execute(context) {
    yield* scenarioOf(context)(context);
  },
});
