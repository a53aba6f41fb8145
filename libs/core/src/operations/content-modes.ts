import {
  ContentTypeNotSupportedError,
  acceptsMediaType,
  mediaTypeOf,
  outputModesIntersect,
  type AgentCardTemplate,
  type SendMessageRequest,
} from '#protocol';

/**
 * Throws ContentTypeNotSupportedError, before anything is stored, for a part that neither the agent nor one of its skills
 * takes, and when the client accepts nothing that the agent makes.
 */
export function refuseUnsupportedModes(card: AgentCardTemplate, { message, configuration }: SendMessageRequest): void {
  const inputModes = [...card.defaultInputModes, ...card.skills.flatMap(({ inputModes: modes }) => modes ?? [])];
  const violations = message.parts.flatMap((part, index) => {
    const mediaType = mediaTypeOf(part);
    return mediaType === undefined || acceptsMediaType(inputModes, mediaType)
      ? []
      : [
          {
            field: `message.parts[${index}]`,
            description: `${mediaType} is not among the agent's input modes: ${inputModes.join(', ')}`,
          },
        ];
  });
  if (violations.length > 0) {
    throw new ContentTypeNotSupportedError('The agent does not take content of this type', violations);
  }
  const accepted = configuration?.acceptedOutputModes ?? [];
  const outputModes = [...card.defaultOutputModes, ...card.skills.flatMap(({ outputModes: modes }) => modes ?? [])];
  if (accepted.length > 0 && !outputModesIntersect(accepted, outputModes)) {
    throw new ContentTypeNotSupportedError(
      `The agent makes none of the accepted output modes; it makes ${outputModes.join(', ')}`,
    );
  }
}
