import type { AgentExtension } from './agent-card.js';
import { ExtensionSupportRequiredError } from './errors.js';

/** The URIs of an `A2A-Extensions` header, in order, each once. */
export function parseExtensions(header: string | undefined): string[] {
  if (header === undefined) return [];
  return [
    ...new Set(
      header
        .split(',')
        .map((uri) => uri.trim())
        .filter((uri) => uri !== ''),
    ),
  ];
}

/**
 * Those of the `requested` URIs that the agent declares: the ones to activate and to echo. Throws
 * ExtensionSupportRequiredError when the agent requires one that was not requested (section 3.3.4).
 */
export function activateExtensions(requested: readonly string[], declared: readonly AgentExtension[]): string[] {
  const missing = declared.find(({ uri, required }) => required === true && !requested.includes(uri));
  if (missing) throw new ExtensionSupportRequiredError(missing.uri);
  return requested.filter((uri) => declared.some((extension) => extension.uri === uri));
}
