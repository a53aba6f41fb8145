import { AgentRegistry, SEEN_HEARTBEATS, type AgentDefinition, type AnnouncedAgent } from '#core';
import { isDeepStrictEqual } from 'node:util';
import type { InMemoryDatabase } from './in-memory-database.js';
import type { AgentRow } from './rows.js';

/** Who hosts what, over an `InMemoryDatabase`. `heartbeatMs` is that of the workers. */
export class InMemoryAgentRegistry extends AgentRegistry {
  constructor(
    private readonly database: InMemoryDatabase,
    private readonly options: { readonly heartbeatMs: number },
  ) {
    super();
  }

  announce(workerId: string, agents: readonly AgentDefinition[]): Promise<void> {
    return this.database.call('announce', () => {
      const now = this.database.now();
      this.database.workers.set(workerId, { seenAt: now, agentIds: agents.map(({ id }) => id) });
      for (const { id, card, extendedCard, policy, answers } of agents) {
        const more = extendedCard === undefined ? {} : { extendedCard };
        const definition = structuredClone({ id, card, ...more, policy, answers });
        if (isDeepStrictEqual(this.database.agents.get(id)?.definition, definition)) continue;
        this.database.agents.set(id, { definition, updatedAt: now });
      }
    });
  }

  heartbeat(workerId: string): Promise<boolean> {
    return this.database.call('heartbeatOfWorker', () => {
      const worker = this.database.workers.get(workerId);
      if (worker) worker.seenAt = this.database.now();
      return worker !== undefined;
    });
  }

  withdraw(workerId: string): Promise<void> {
    return this.database.call('withdraw', () => void this.database.workers.delete(workerId));
  }

  find(agentId: string): Promise<AnnouncedAgent | undefined> {
    return this.database.call('find', () => {
      const row = this.database.agents.get(agentId);
      return row && this.#announced(row);
    });
  }

  list(): Promise<readonly AnnouncedAgent[]> {
    return this.database.call('listAgents', () =>
      [...this.database.agents.values()].map((row) => this.#announced(row)).sort((a, b) => (a.id < b.id ? -1 : 1)),
    );
  }

  #announced({ definition, updatedAt }: AgentRow): AnnouncedAgent {
    const alive = this.database.now() - SEEN_HEARTBEATS * this.options.heartbeatMs;
    const hosts = [...this.database.workers.values()].filter(
      ({ seenAt, agentIds }) => seenAt > alive && agentIds.includes(definition.id),
    );
    return { ...structuredClone(definition), updatedAt, workers: hosts.length };
  }
}
