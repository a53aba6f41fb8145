import type { AgentCard } from '#protocol';

/** A whole card with every kind of field that the rules of section 8.4.1 tell apart. */
export const card = (changes: Partial<AgentCard> = {}): AgentCard => ({
  name: 'Agent',
  description: 'Does it',
  supportedInterfaces: [{ url: 'https://a.example', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  version: '1.0.0',
  capabilities: { streaming: false },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 's', name: 'S', description: 'd', tags: ['t'] }],
  ...changes,
});

/** The canonical text of `card()`, with these fields of it written as given. */
export function canonicalText(changes: Readonly<Record<string, string>> = {}): string {
  const fields: Record<string, string> = {
    name: '"Agent"',
    description: '"Does it"',
    supportedInterfaces: '[{"protocolBinding":"JSONRPC","protocolVersion":"1.0","url":"https://a.example"}]',
    version: '"1.0.0"',
    capabilities: '{"streaming":false}',
    defaultInputModes: '["text/plain"]',
    defaultOutputModes: '["text/plain"]',
    skills: '[{"description":"d","id":"s","name":"S","tags":["t"]}]',
    ...changes,
  };
  const members = Object.keys(fields).sort();
  return `{${members.map((name) => `"${name}":${fields[name]}`).join(',')}}`;
}
