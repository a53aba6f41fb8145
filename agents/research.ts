import { appendTo, artifact, completed, data, defineAgent, lastChunk, sleep, text, textOf, working } from 'chorus/agents';

const SOURCES = ['the archive', 'the catalogue', 'the field notes'];
const STEP_MS = 300;

/** Works in steps that a client can watch, as an agent with tools does: progress, findings as data, a report in chunks. */
export default defineAgent({
  id: 'research',
  card: {
    name: 'Research',
    description: 'Looks a topic up in three (made up) sources and writes a report.',
    version: '1.0.0',
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain', 'application/json'],
    skills: [{ id: 'research', name: 'Research', description: 'Say a topic.', tags: ['sample', 'tools'], examples: ['tides'] }],
  },
  async *execute({ message, signal }) {
    const topic = textOf(message).trim() || 'nothing in particular';
    const findings: { source: string; words: number }[] = [];
    yield working(`planning: ${SOURCES.length} sources on ${topic}`);
    for (const [index, source] of SOURCES.entries()) {
      yield working(`step ${index + 1} of ${SOURCES.length}: reading ${source}`);
      await sleep(STEP_MS, signal);
      findings.push({ source, words: topic.length * (index + 3) });
    }
    yield artifact({ id: 'findings', name: 'Findings' }, data({ topic, findings }));
    const report = { id: 'report', name: 'Report' };
    yield appendTo(report, text(`Report on ${topic}\n\n`));
    for (const { source, words } of findings) {
      await sleep(STEP_MS, signal);
      yield appendTo(report, text(`- ${source} has ${words} words on it.\n`));
    }
    yield lastChunk(report, text('\nThat is all.'));
    yield completed(`The report on ${topic} is ready.`);
  },
});
