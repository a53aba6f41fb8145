import type { JsonValue, Part } from '#protocol';
import { struct, text, type Fields } from './fields.js';
import { AnswerReader } from './read-answer.js';

/** Of two contents the first counts: a stranger's mistake is not worth an answer that was paid for. */
function partOf(fields: Fields): Part {
  const rest = { ...struct(fields), ...text(fields, 'filename'), ...text(fields, 'mediaType') };
  if (typeof fields['text'] === 'string') return { text: fields['text'], ...rest };
  if (typeof fields['raw'] === 'string') return { raw: fields['raw'], ...rest };
  if (typeof fields['url'] === 'string') return { url: fields['url'], ...rest };
  return { data: (fields['data'] ?? null) as JsonValue, ...rest };
}

/** Answers of A2A 1.0. */
export const READ_V1 = new AnswerReader({
  part: partOf,
  state: (written) => written,
  partsOf: ({ parts }) => parts,
});
