import { z } from 'zod';
import type { AgentCardTemplate, ExtendedCardTemplate } from '../agent-card.js';
import { parseUrl } from '../parse-url.js';
import { SCOPES } from '../scopes.js';

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
  .check(({ value: card, issues }) => void issues.push(...usedTwice(card.skills)));

/** What comes on top of a card whose skills are `taken`. */
const extended = (taken: AgentCardTemplate['skills']) =>
  z
    .strictObject({
      description: text.optional(),
      version: text.optional(),
      documentationUrl: url.optional(),
      skills: some(
        skill.omit({ inputModes: true, outputModes: true }).extend({ scopes: some(z.enum(SCOPES)).optional() }),
      ).optional(),
    })
    .refine((card) => Object.keys(card).length > 0, { error: 'adds nothing to the card' })
    .check(({ value: { skills = [] }, issues }) => void issues.push(...usedTwice(skills, taken)));

/** Faults of the skills whose id another one has; `before` are skills that the same card has already. */
const usedTwice = (skills: readonly { id: string }[], before: readonly { id: string }[] = []) =>
  skills.flatMap(({ id }, index) =>
    [...before, ...skills.slice(0, index)].some((other) => other.id === id)
      ? [{ code: 'custom' as const, input: id, path: ['skills', index, 'id'], message: `is used twice: ${id}` }]
      : [],
  );

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
  return parsed(template.safeParse(input), 'agent card');
}

/** The same for what the author adds for callers who have shown who they are. Throws InvalidAgentCardError. */
export function parseExtendedCardTemplate(input: unknown, { skills }: AgentCardTemplate): ExtendedCardTemplate {
  return parsed(extended(skills).safeParse(input), 'extended card');
}

function parsed<T>(result: z.ZodSafeParseResult<T>, what: string): T {
  if (result.success) return result.data;
  throw new InvalidAgentCardError(
    `The ${what} is not valid:\n${result.error.issues.map((issue) => `  ${describe(issue)}`).join('\n')}`,
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
  const hint = securityFields.length > 0 ? ' (the host states those that it enforces)' : '';
  return `has no field ${keys.join(', ')}${hint}`;
}
