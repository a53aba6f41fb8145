import { artifact, ask, completed, defineAgent, reject, text, textOf, working, type Task } from 'chorus/agents';

/** These words and nothing else: "yes, but not today" and "ok?" are no approval. */
const YES = /^(?:yes|ok|okay|approve|approved|go|go ahead)(?:,? (?:please|approved|go|go ahead|do it))*[.!]*$/i;
/** Taken at its first word: nothing is done, so a misunderstanding costs a question. */
const NO = /^(?:no|nope|never|deny|denied|stop|reject|rejected|don['’]t|do not)(?![\p{L}\p{N}])/iu;

/** The first thing that the client asked for; every turn sees the whole conversation. */
const requestOf = (task: Task): string => textOf(task.history?.find(({ role }) => role === 'ROLE_USER') ?? { parts: [] });

/** Asks before it acts: INPUT_REQUIRED, then it goes on with the answer, however long that takes. */
export default defineAgent({
  id: 'approval',
  card: {
    name: 'Approval',
    description: 'Asks for approval, and does it when it gets it.',
    version: '1.0.0',
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [
      {
        id: 'approval',
        name: 'Ask first',
        description: 'Say what should be done; answer yes or no.',
        tags: ['sample', 'human-in-the-loop'],
        examples: ['delete the old backups'],
      },
    ],
  },
  async *execute({ message, task, turn }) {
    const answer = textOf(message).trim().replace(/\s+/g, ' ');
    if (turn === 1) yield ask(`May I do this: ${answer}? (yes or no)`);
    else if (YES.test(answer)) {
      yield working('approved, doing it');
      yield artifact('result', text(`Done: ${requestOf(task)}`));
      yield completed('Done.');
    } else if (NO.test(answer)) yield reject('Not approved; nothing was done.');
    else yield ask('Please answer yes or no.');
  },
});
