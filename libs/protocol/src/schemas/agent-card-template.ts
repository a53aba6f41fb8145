import { z } from 'zod';
import type { AgentCardTemplate } from '../agent-card.js';
import { parseUrl } from '../parse-url.js';

const text = z.string().min(1);
const url = z.url();
const mediaType = z.string().regex(/^(?:text|\*|[\w!#$&^.+-]+\/[\w!#$&^.+*-]+|\*\/\*)(?:\s*;.*)?$/, {
  error: 'must be a media type, as text/plain or image/*',
});
/** Clients name it in `A2A-Extensions`, a list with commas: one that held a comma could not be asked for. */
const extensionUri = z.string().refine((uri) => parseUrl(uri) !== undefined && !/[\s,]/.test(uri), {
  error: 'must be an absolute URI without commas and blanks',
});
/** Arrays marked REQUIRED have at least one element (section 5.7). */
const some = <Item extends z.ZodType>(item: Item) => z.array(item).min(1);

const skill = z.strictObject({
  id: text,
  name: text,
  description: text,
  tags: some(text),
  examples: z.array(text).optional(),
  inputModes: z.array(mediaType).optional(),
  outputModes: z.array(mediaType).optional(),
});

const extension = z.strictObject({
  uri: extensionUri,
  description: text.optional(),
  required: z.boolean().optional(),
  params: z.record(z.string(), z.json()).optional(),
});

/** zod serves here, at boot; requests are parsed by hand, since it would be their largest cost. */
const template = z
  .strictObject({
    name: text,
    description: text,
    provider: z.strictObject({ url, organization: text }).optional(),
    version: text,
    documentationUrl: url.optional(),
    capabilities: z.strictObject({ extensions: z.array(extension).optional() }).optional(),
    defaultInputModes: some(mediaType),
    defaultOutputModes: some(mediaType),
    skills: some(skill),
    iconUrl: url.optional(),
  })
  .check(({ value: card, issues }) => {
    const ids = card.skills.map(({ id }) => id);
    ids.forEach((id, index) => {
      if (ids.indexOf(id) === index) return;
      issues.push({ code: 'custom', input: id, path: ['skills', index, 'id'], message: `is used twice: ${id}` });
    });
  });

/** Fields of a card that say what the host does, so an author cannot state them. */
const HOST_FIELDS = ['supportedInterfaces', 'signatures', 'streaming', 'pushNotifications', 'extendedAgentCard'];
/** A card that asks for credentials which nobody checks would promise a protection that is not there. */
const SECURITY_FIELDS = ['securitySchemes', 'securityRequirements'];

/** A card that must not be served. The message lists every fault, one per line. */
export class InvalidAgentCardError extends Error {
  override readonly name = 'InvalidAgentCardError';
}

/**
 * The card that an agent's author wrote, checked against section 4.4 so that a bad one stops the boot and not a client.
 * Throws InvalidAgentCardError.
 */
export function parseAgentCardTemplate(input: unknown): AgentCardTemplate {
  const result = template.safeParse(input);
  if (result.success) return result.data;
  throw new InvalidAgentCardError(
    `The agent card is not valid:\n${result.error.issues.map((issue) => `  ${describe(issue)}`).join('\n')}`,
  );
}

function describe(issue: z.core.$ZodIssue): string {
  const path = issue.path.reduce<string>((whole, key) => {
    if (typeof key === 'number') return `${whole}[${key}]`;
    return whole === '' ? String(key) : `${whole}.${String(key)}`;
  }, '');
  const message = issue.code === 'unrecognized_keys' ? describeUnknown(issue.keys) : issue.message;
  return path === '' ? message : `${path}: ${message}`;
}

function describeUnknown(keys: readonly string[]): string {
  const hostFields = keys.filter((key) => HOST_FIELDS.includes(key));
  if (hostFields.length > 0) return `has no field ${keys.join(', ')} (the host states ${hostFields.join(', ')} itself)`;
  const securityFields = keys.filter((key) => SECURITY_FIELDS.includes(key));
  const hint = securityFields.length > 0 ? ' (this host does not authenticate callers yet, so no card may say that it does)' : '';
  return `has no field ${keys.join(', ')}${hint}`;
}
