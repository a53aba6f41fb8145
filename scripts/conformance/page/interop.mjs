import { table } from './markdown.mjs';

/** Clients that others wrote: what each did over each interface. */
export function interopSection({ clients, scenes }) {
  const names = [...new Set(scenes.map(({ scene }) => scene))];
  const interfaces = [...new Set(scenes.map(({ client, interface: over }) => `${client}\n${over}`))].map((both) =>
    both.split('\n'),
  );
  const missing = clients.filter((client) => client.missing !== undefined);
  return `## Clients that others wrote

\`npm run test:interop\` drives Chorus with ${clients.map(({ name, sdk }) => `${sdk} (${name})`).join(', ')}. An empty cell
was not played: the version has no such operation, the client no name for it, or the card does not offer it.

${table(
  ['', '', ...names],
  interfaces.map(([client, over]) => [client, over, ...names.map((name) => cell(scenes, client, over, name))]),
)}${missing.map(({ name, missing: reason }) => `\n\n${name} was not run: ${reason}`).join('')}`;
}

const SIGNS = { passed: 'works', failed: '**fails**', skipped: '' };

function cell(scenes, client, over, name) {
  const found = scenes.find((one) => one.client === client && one.interface === over && one.scene === name);
  return SIGNS[found?.status ?? 'skipped'];
}
