import type { AgentCardTemplate, ExtendedCardTemplate } from '#protocol';
import type { RecoveryPolicy } from './turn-store.js';

/** A worker that has missed as many of its heartbeats is gone, as far as anyone is told. */
export const SEEN_HEARTBEATS = 5;

/** What a worker announces of an agent that it hosts. */
export interface AgentDefinition {
  readonly id: string;
  readonly card: AgentCardTemplate;
  /** What the card of callers who have shown who they are has besides; absent: they are shown no other. */
  readonly extendedCard?: ExtendedCardTemplate;
  readonly policy: RecoveryPolicy;
  /** May the agent answer with a Message and no task? */
  readonly answers: 'task' | 'message' | 'either';
}

export interface AnnouncedAgent extends AgentDefinition {
  /** Milliseconds since the epoch; changes only when the definition does. */
  readonly updatedAt: number;
  /** Workers that host it, and were seen within the last `SEEN_HEARTBEATS` heartbeats. */
  readonly workers: number;
}

/** Who hosts what. An agent stays announced while its workers are scaled to zero. */
export abstract class AgentRegistry {
  abstract announce(workerId: string, agents: readonly AgentDefinition[]): Promise<void>;
  /** Renews the announcement; called with every heartbeat of the worker. False when there is none to renew: announce anew. */
  abstract heartbeat(workerId: string): Promise<boolean>;
  abstract withdraw(workerId: string): Promise<void>;
  abstract find(agentId: string): Promise<AnnouncedAgent | undefined>;
  abstract list(): Promise<readonly AnnouncedAgent[]>;
}
