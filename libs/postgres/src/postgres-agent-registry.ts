import { AgentRegistry, SEEN_HEARTBEATS, type AgentDefinition, type AnnouncedAgent } from '#core';
import { run, type Pools } from './pools.js';
import { ANNOUNCE_AGENTS, ANNOUNCE_WORKER, FIND_AGENTS, REMOVE_WORKER, SEEN_WORKER } from './queries/registry.js';

interface AgentRow {
  readonly id: string;
  readonly definition: string;
  readonly updated_at: number;
  readonly workers: number;
}

/** Agents and workers in Postgres. `heartbeatMs` is that of the workers. */
export class PostgresAgentRegistry extends AgentRegistry {
  readonly #seenMs: number;

  constructor(
    private readonly pools: Pools,
    { heartbeatMs }: { readonly heartbeatMs: number },
  ) {
    super();
    this.#seenMs = SEEN_HEARTBEATS * heartbeatMs;
  }

  override async announce(workerId: string, agents: readonly AgentDefinition[]): Promise<void> {
    const definitions = agents.map(({ id, card, extendedCard, policy, answers }) =>
      JSON.stringify({ id, card, extendedCard, policy, answers }),
    );
    await run(this.pools.lists, ANNOUNCE_AGENTS, [agents.map(({ id }) => id), definitions]);
    await run(this.pools.lists, ANNOUNCE_WORKER, [workerId, agents.map(({ id }) => id)]);
  }

  override async heartbeat(workerId: string): Promise<boolean> {
    return (await run(this.pools.lists, SEEN_WORKER, [workerId])).length > 0;
  }

  override async withdraw(workerId: string): Promise<void> {
    await run(this.pools.lists, REMOVE_WORKER, [workerId]);
  }

  override async find(agentId: string): Promise<AnnouncedAgent | undefined> {
    const [row] = await run<AgentRow>(this.pools.lists, FIND_AGENTS, [agentId, this.#seenMs]);
    return row && agentOf(row);
  }

  override async list(): Promise<readonly AnnouncedAgent[]> {
    return (await run<AgentRow>(this.pools.lists, FIND_AGENTS, [null, this.#seenMs])).map(agentOf);
  }
}

const agentOf = ({ definition, updated_at, workers }: AgentRow): AnnouncedAgent => ({
  ...(JSON.parse(definition) as AgentDefinition),
  updatedAt: updated_at,
  workers,
});
