import { claim, fail, skip, type Check } from '../check.js';
import { at, isObject, listOf, member, show } from '../wire/json.js';
import { describeFaults, protoJsonFaults, type FaultKind } from '../wire/protojson.js';
import type { Target } from '../target.js';

const BINDING_URI = /^[a-z][a-z0-9+.-]*:\S+$/i;
const MEDIA_TYPE = /^[\w!#$&^.+*-]+\/[\w!#$&^.+*-]+(\s*;.*)?$|^text$/;

/** What the card says (sections 4.4, 5.5, 5.7, 8.3). */
export const CARD_CHECKS: readonly Check[] = [
  {
    id: 'card.required-fields',
    title: 'The card has every required field',
    requirement: 'MUST',
    section: '4.4.1',
    mend: 'Write each REQUIRED field of AgentCard and of what is in it, whatever its value.',
    run: ({ target }) => noFaults(target, ['missing']),
  },
  {
    id: 'card.required-values',
    title: 'No required field of the card is empty',
    requirement: 'MUST',
    section: '5.7',
    mend: 'Give each REQUIRED text a value and each REQUIRED array at least one element.',
    run: ({ target }) => noFaults(target, ['empty']),
  },
  {
    id: 'card.protojson',
    title: 'The card is ProtoJSON: camelCase names and the right types',
    requirement: 'MUST',
    section: '5.5',
    mend: 'Write the card with a ProtoJSON serializer of AgentCard; absent fields are left out and not null.',
    run: ({ target }) => noFaults(target, ['type', 'name']),
  },
  {
    id: 'card.interfaces',
    title: 'Each interface has an absolute address and a known binding, and one speaks 1.0',
    requirement: 'MUST',
    section: '8.3.1',
    mend: 'Declare each interface with its real address, JSONRPC, HTTP+JSON, GRPC or a URI as its binding, and the version it speaks.',
    run: ({ target }) => {
      const { interfaces } = target;
      claim(interfaces.length > 0, 'supportedInterfaces is empty');
      for (const { url, protocolBinding } of interfaces) {
        const known = ['JSONRPC', 'HTTP+JSON', 'GRPC'].includes(protocolBinding) || BINDING_URI.test(protocolBinding);
        claim(known, `${show(protocolBinding)} is neither a binding of the specification nor a URI`);
        const address = protocolBinding === 'GRPC' && !/^\w+:\/\//.test(url) ? `dns://${url}` : url;
        claim(URL.canParse(address), `${show(url)} is no absolute URL`);
        claim(
          !/^(\w+:\/\/)?(0\.0\.0\.0|\[::\])([:/]|$)/.test(url),
          `${show(url)} is where a server listens, not where clients reach it`,
        );
      }
      claim(
        interfaces.some(({ protocolVersion }) => /^1\.0(\.\d+)?$/.test(protocolVersion)),
        `no interface speaks 1.0: ${show(interfaces.map(({ protocolVersion }) => protocolVersion))}`,
      );
    },
  },
  {
    id: 'card.version-format',
    title: 'Interfaces name their version as Major.Minor',
    requirement: 'SHOULD',
    section: '3.6',
    mend: 'Write "1.0", without a patch number.',
    run: ({ target }) => {
      const wrong = target.interfaces.filter(({ protocolVersion }) => !/^\d+\.\d+$/.test(protocolVersion));
      claim(wrong.length === 0, `not Major.Minor: ${show(wrong.map(({ protocolVersion }) => protocolVersion))}`);
    },
  },
  {
    id: 'card.security',
    title: 'Each security requirement names a declared scheme',
    requirement: 'MUST',
    section: '4.5',
    mend: 'Declare in securitySchemes each scheme that securityRequirements names.',
    run: ({ target: { card } }) => {
      const schemes = isObject(card['securitySchemes']) ? card['securitySchemes'] : {};
      for (const requirement of listOf(card['securityRequirements'])) {
        const named = Object.keys((at(requirement, 'schemes') as object | undefined) ?? {});
        for (const name of named) claim(Object.hasOwn(schemes, name), `${show(name)} is required and not declared`);
      }
    },
  },
  {
    id: 'card.media-types',
    title: 'Input and output modes are media types',
    requirement: 'SHOULD',
    section: '4.4.1',
    mend: 'Write media types as text/plain or application/json.',
    run: ({ target: { card } }) => {
      const modes = [...listOf(card['defaultInputModes']), ...listOf(card['defaultOutputModes'])];
      const wrong = modes.filter((mode) => typeof mode !== 'string' || !MEDIA_TYPE.test(mode));
      claim(wrong.length === 0, `no media types: ${show(wrong)}`);
    },
  },
  {
    id: 'card.skill-ids',
    title: 'Skills have ids of their own',
    requirement: 'SHOULD',
    section: '4.4.5',
    mend: 'Give each skill another id.',
    run: ({ target: { card } }) => {
      const ids = listOf(card['skills']).map((skill) => member(skill, 'id'));
      claim(new Set(ids).size === ids.length, `ids twice in ${show(ids)}`);
    },
  },
  {
    id: 'card.usable-interface',
    title: 'There is an interface that can be probed',
    requirement: 'INFO',
    section: '8.3.2',
    mend: 'Declare JSONRPC, HTTP+JSON or GRPC in version 1.0 at the host of the card.',
    run: ({ target: { interfaces } }) => {
      if (interfaces.some(({ binding }) => binding)) return;
      const reasons = interfaces.map(({ url, why }) => `${url}: ${why}`).join('; ');
      if (reasons === '') skip('no interface is declared');
      fail(reasons);
    },
  },
];

function noFaults({ card }: Target, kinds: readonly FaultKind[]): void {
  const faults = protoJsonFaults('AgentCard', card).filter(({ kind }) => kinds.includes(kind));
  claim(faults.length === 0, describeFaults(faults));
}
