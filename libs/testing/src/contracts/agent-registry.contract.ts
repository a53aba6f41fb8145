import type { AgentDefinition } from '#core';
import { freshAgent, HEARTBEAT_MS, type Stores } from './store-fixture.js';

/** What every AgentRegistry promises. */
export function agentRegistryContract(name: string, open: () => Promise<Stores>): void {
  describe(`${name}: agents`, () => {
    let stores: Stores;
    beforeAll(async () => {
      stores = await open();
    });
    afterAll(() => stores.close());

    const definition = (id: string, description = 'one'): AgentDefinition => ({
      id,
      card: {
        name: id,
        description,
        version: '1',
        defaultInputModes: ['text/plain'],
        defaultOutputModes: ['text/plain'],
        skills: [],
      },
      policy: { recovery: 'retry', maxAttempts: 3 },
      answers: 'task',
    });

    it('an announced agent is found with its workers, and stays when they are gone', async () => {
      const id = freshAgent();
      await stores.registry.announce(`${id}-w1`, [definition(id)]);
      await stores.registry.announce(`${id}-w2`, [definition(id)]);
      expect(await stores.registry.heartbeat(`${id}-w1`)).toBe(true);
      expect(await stores.registry.find(id)).toMatchObject({ ...definition(id), workers: 2 });
      await stores.registry.withdraw(`${id}-w1`);
      expect(await stores.registry.heartbeat(`${id}-w1`)).toBe(false);
      await stores.registry.withdraw(`${id}-w2`);
      expect(await stores.registry.find(id)).toMatchObject({ id, workers: 0 });
      expect((await stores.registry.list()).map((agent) => agent.id)).toContain(id);
      expect(await stores.registry.find('nobody')).toBeUndefined();
    });

    it('keeps what is added to the card, until it is announced without', async () => {
      const id = freshAgent();
      const extendedCard = { skills: [{ id: 'x', name: 'X', description: 'x', tags: ['x'], scopes: ['admin' as const] }] };
      await stores.registry.announce(`${id}-w`, [{ ...definition(id), extendedCard }]);
      expect((await stores.registry.find(id))?.extendedCard).toEqual(extendedCard);
      await stores.registry.announce(`${id}-w`, [definition(id)]);
      expect(await stores.registry.find(id)).not.toHaveProperty('extendedCard');
    });

    it('a worker counts for five of its heartbeats after the last', async () => {
      const id = freshAgent();
      await stores.registry.announce(`${id}-w`, [definition(id)]);
      await stores.ageWorkers(4 * HEARTBEAT_MS);
      expect(await stores.registry.find(id)).toMatchObject({ workers: 1 });
      await stores.ageWorkers(HEARTBEAT_MS);
      expect(await stores.registry.find(id)).toMatchObject({ workers: 0 });
      expect(await stores.registry.heartbeat(`${id}-w`)).toBe(true);
      expect(await stores.registry.find(id)).toMatchObject({ workers: 1 });
    });

    it('updatedAt moves only when the definition does', async () => {
      const id = freshAgent();
      await stores.registry.announce(`${id}-w`, [definition(id)]);
      const first = (await stores.registry.find(id))?.updatedAt as number;
      await new Promise((resolve) => setTimeout(resolve, 5));
      await stores.registry.announce(`${id}-w`, [definition(id)]);
      expect((await stores.registry.find(id))?.updatedAt).toBe(first);
      await stores.registry.announce(`${id}-w`, [definition(id, 'two')]);
      expect((await stores.registry.find(id))?.updatedAt).toBeGreaterThan(first);
    });
  });
}
