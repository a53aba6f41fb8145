import { AgentNotFoundError } from '#protocol';
import type { AgentRegistry, AnnouncedAgent } from '../ports/agent-registry.js';

export interface AgentDirectoryOptions {
  /** Id of the agent that answers where none is named; without it the only one, if there is only one. */
  readonly defaultAgent?: string;
  /** How long a list of agents is good for, in milliseconds. */
  readonly maxAgeMs?: number;
  readonly now?: () => number;
}

type Listing = ReadonlyMap<string, AnnouncedAgent>;

/** A list that lacks the agent is good for no longer than this: the agent may have just been announced. */
const MISS_AGE_MS = 100;

/**
 * The announced agents, read once a second however many requests ask. When the registry cannot be read, the last known list
 * stands: what it lacks is unknown, what it has is still served.
 */
export class AgentDirectory {
  #agents: Listing | undefined;
  #readAt = -Infinity;
  #reading: Promise<Listing> | undefined;
  readonly #maxAgeMs: number;
  readonly #now: () => number;

  constructor(
    private readonly registry: AgentRegistry,
    private readonly options: AgentDirectoryOptions = {},
  ) {
    this.#maxAgeMs = options.maxAgeMs ?? 1000;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Rejects with AgentNotFoundError for an agent that nobody announced. */
  async find(agentId: string): Promise<AnnouncedAgent> {
    const agent = (await this.#list()).get(agentId) ?? (await this.#list(MISS_AGE_MS)).get(agentId);
    if (!agent) throw new AgentNotFoundError(agentId);
    return agent;
  }

  /** All of them, by id. */
  async list(): Promise<readonly AnnouncedAgent[]> {
    return [...(await this.#list()).values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** The agent that answers where none is named. Rejects with AgentNotFoundError, which says what to configure. */
  async findDefault(): Promise<AnnouncedAgent> {
    const { defaultAgent } = this.options;
    if (defaultAgent !== undefined) return this.find(defaultAgent);
    const agents = await this.#list();
    const [only] = agents.values();
    if (only && agents.size === 1) return only;
    throw new AgentNotFoundError(
      '(none named)',
      agents.size === 0
        ? '; no worker has announced an agent yet'
        : `; ${agents.size} agents are announced: name one with /agents/{agentId}, or set CHORUS_DEFAULT_AGENT`,
    );
  }

  #list(maxAgeMs = this.#maxAgeMs): Listing | Promise<Listing> {
    if (this.#agents && this.#now() - this.#readAt < maxAgeMs) return this.#agents;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<Listing> {
    try {
      this.#agents = new Map((await this.registry.list()).map((agent) => [agent.id, agent]));
    } catch (error) {
      if (!this.#agents) throw error;
    }
    this.#readAt = this.#now();
    return this.#agents;
  }
}
