import type { AgentDefinition } from '../ports/agent-registry.js';

/** What is asked of an agent; each entry of each list has to hold. */
export interface AgentFilter {
  /** Ids of skills. */
  readonly skill?: readonly string[];
  /** Tags of skills. */
  readonly tag?: readonly string[];
  /** Media types that it takes or makes, at all or in one of its skills. */
  readonly mode?: readonly string[];
  /** URIs of extensions that it declares. */
  readonly extension?: readonly string[];
  /** Words that stand in its id, its name, its description or what it says of its skills, whatever their case. */
  readonly q?: readonly string[];
}

/** Is the agent, by the card that everyone sees, one that is asked for? */
export function fitsFilter({ id, card }: AgentDefinition, filter: AgentFilter): boolean {
  const { skills } = card;
  const has = (wanted: readonly string[] = [], all: readonly (readonly string[] | undefined)[]): boolean =>
    wanted.every((one) => all.some((some) => some?.includes(one)));
  const modes = [card, ...skills].flatMap((one) =>
    'defaultInputModes' in one ? [one.defaultInputModes, one.defaultOutputModes] : [one.inputModes, one.outputModes],
  );
  const words = (filter.q ?? []).flatMap((text) => text.toLowerCase().split(/\s+/));
  const said = [
    id,
    card.name,
    card.description,
    ...skills.flatMap(({ name, description, tags, examples = [] }) => [name, description, ...tags, ...examples]),
  ]
    .join('\n')
    .toLowerCase();
  return (
    has(
      filter.skill,
      skills.map((skill) => [skill.id]),
    ) &&
    has(
      filter.tag,
      skills.map(({ tags }) => tags),
    ) &&
    has(filter.mode, modes) &&
    has(filter.extension, [card.capabilities?.extensions?.map(({ uri }) => uri)]) &&
    words.every((word) => said.includes(word))
  );
}
