import { appendTo, completed, dataOf, defineAgent, sleep, text, textOf, working, type Message, type Task } from 'chorus/agents';

const MOST_STEPS = 10_000;
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000 };

/** "from 10 every 200ms" in the text, or `{ from, everyMs }` as a data part or as the message's metadata. */
function planOf(message: Message): { from: number; everyMs: number } {
  const data = { ...message.metadata, ...(dataOf(message) as object | undefined) } as { from?: unknown; everyMs?: unknown };
  const said = textOf(message);
  const from = Number(data.from ?? /from\s+(\d+)/i.exec(said)?.[1] ?? 10);
  const [, amount, unit = 'ms'] = /every\s+(\d+(?:\.\d+)?)\s*(ms|s)\b/i.exec(said) ?? [];
  const everyMs = Number(data.everyMs ?? (amount === undefined ? 300 : Number(amount) * (UNITS[unit.toLowerCase()] as number)));
  return { from: Math.min(Math.max(0, Math.floor(from) || 0), MOST_STEPS), everyMs: Math.max(0, everyMs || 0) };
}

/** How many numbers an earlier attempt of this turn has recorded already. */
const recorded = (task: Task, artifactId: string): number =>
  task.artifacts?.find((artifact) => artifact.artifactId === artifactId)?.parts.length ?? 0;

/**
 * Counts down, a chunk for each number. It resumes: when its process dies, the next attempt reads from the task how far the
 * last one came, and goes on from there.
 */
export default defineAgent({
  id: 'countdown',
  recovery: 'retry',
  maxAttempts: 100,
  resumes: true,
  card: {
    name: 'Countdown',
    description: 'Counts down to zero, streaming each number.',
    version: '1.0.0',
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain'],
    skills: [
      {
        id: 'countdown',
        name: 'Count down',
        description: 'Say from what, and how fast.',
        tags: ['sample', 'streaming'],
        examples: ['from 10 every 300ms', 'from 30 every 1s'],
      },
    ],
  },
  async *execute({ message, task, turn, signal }) {
    const { from, everyMs } = planOf(message);
    const artifactId = `countdown-${turn}`;
    const done = recorded(task, artifactId);
    if (done === 0) yield working(`counting down from ${from}`);
    for (let n = from - done; n >= 0; n -= 1) {
      await sleep(everyMs, signal);
      yield appendTo({ id: artifactId, name: 'countdown' }, text(`${n} `));
    }
    yield completed('lift-off');
  },
});
