import { join } from 'node:path';
import { CLIENTS, playScenes } from '../../test/interop/clients.mjs';
import { root } from '../prepare.mjs';

/** What the clients in `test/interop` find in Chorus: which they are, and how each scene went over each interface. */
export async function playedByClients(ports, withChorus) {
  const environment = {
    ...ports,
    CHORUS_DEFAULT_AGENT: 'script',
    CHORUS_AGENTS: join(root, 'test', 'fixtures', 'agents'),
    // Receivers of push notifications are on this machine.
    CHORUS_OUTBOUND_ALLOW: '127.0.0.1',
  };
  return withChorus(environment, async ({ url }) => {
    const clients = [];
    const scenes = [];
    for (const { name, sdk, command } of CLIENTS) {
      const tell = (played) => scenes.push(...played.map((scene) => ({ client: name, ...scene })));
      let program;
      try {
        program = command();
        clients.push({ name, sdk });
      } catch (error) {
        clients.push({ name, sdk, missing: error.message });
        continue;
      }
      await playScenes(program, `${url}/agents/script`).then(tell, (error) =>
        tell([{ interface: 'any', scene: 'start', status: 'failed', reason: error.message }]),
      );
    }
    return { clients, scenes };
  });
}
