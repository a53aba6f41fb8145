import * as fc from 'fast-check';
import { ErrorLog, fuzz } from '../support/fuzzing.js';
import { AGENT } from '../support/in-memory-host.js';
import { asWritten } from '../support/json-arbitraries.js';
import { MirrorHost } from '../support/mirror-host.js';
import { refusalOf } from '../support/refusal.js';
import { goodMessage } from '../support/request-arbitraries.js';
import { ThreeBindings, type Json } from '../support/three-bindings.js';

interface Message {
  readonly parts: readonly Json[];
  readonly metadata?: Json;
}
interface MirroredTask {
  readonly id: string;
  readonly history: readonly [Message];
  readonly artifacts: readonly [Message];
  readonly status: { readonly message: Message };
}

/** ProtoJSON leaves out a text, and a list, that has nothing in it, unless it is what a part is. */
const withoutDefaults = (fields: Json, kept: readonly string[] = []): Json =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([name, value]) => kept.includes(name) || (value !== '' && !(Array.isArray(value) && value.length === 0)),
    ),
  );
const partsOf = ({ parts }: Message): Json[] => parts.map((part) => withoutDefaults(part, ['text', 'raw', 'url', 'data']));

describe('What was accepted', () => {
  const log = new ErrorLog();
  let host: MirrorHost;
  let bindings: ThreeBindings;

  beforeAll(async () => {
    host = await MirrorHost.start(log.logger);
    bindings = new ThreeBindings(host, AGENT);
  });
  afterAll(async () => {
    bindings.close();
    await host.close();
  });

  it('is read as it was sent, over every binding: from the history, and from what the agent makes of it', async () => {
    let accepted = 0;
    const sent = fc.tuple(
      goodMessage.map((message) => asWritten(message) as Json),
      fc.constantFrom(0, 1, 2),
    );
    await fuzz(600, sent, async ([message, over]) => {
      host.known('');
      const binding = bindings.all[over]!;
      const answer = await binding.unary('sendMessage', { message }).catch((error: unknown) => refusalOf(error));
      if (!isTask(answer)) return;
      accepted += 1;
      const expected = withoutDefaults(message);
      const parts = partsOf(message as unknown as Message);
      for (const { unary } of bindings.all) {
        const task = (await unary('getTask', { id: answer.task.id })) as MirroredTask;
        expect(task.history[0]).toMatchObject({ ...expected, parts: expect.anything() });
        for (const shown of [task.history[0], task.artifacts[0], task.status.message]) {
          expect(partsOf(shown)).toEqual(parts);
          expect(shown.metadata ?? {}).toEqual(message['metadata'] ?? {});
        }
      }
    });
    // Else it would prove nothing but that everything is refused.
    expect(accepted).toBeGreaterThan(400);
    expect(log.errors).toEqual([]);
  });
});

const isTask = (answer: unknown): answer is { task: { id: string } } => 'task' in (answer as object);
