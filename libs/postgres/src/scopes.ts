import type { CallContext } from '#core';
import type pg from 'pg';
import { run } from './pools.js';
import { ADD_SCOPE, FIND_SCOPE } from './queries/scope.js';

const MOST_CACHED = 10_000;

type Whose = Pick<CallContext, 'tenant' | 'principal' | 'agentId'>;

/** The numbers of (tenant, owner, agent). They never change, so they are remembered; the oldest are forgotten first. */
export class Scopes {
  readonly #known = new Map<string, number>();

  constructor(private readonly pool: pg.Pool) {}

  /** The scope's number, or undefined when nobody has used it: then nothing can be in it. */
  async find(whose: Whose): Promise<number | undefined> {
    const key = keyOf(whose);
    return this.#known.get(key) ?? this.#remember(key, await this.#read(whose));
  }

  /** The scope's number, made when it is new. */
  async findOrAdd(whose: Whose): Promise<number> {
    const known = await this.find(whose);
    if (known !== undefined) return known;
    const [added] = await run<{ id: number }>(this.pool, ADD_SCOPE, valuesOf(whose));
    const id = added?.id ?? (await this.#read(whose));
    if (id === undefined) throw new Error('a scope was neither added nor found');
    return this.#remember(keyOf(whose), id) as number;
  }

  async #read(whose: Whose): Promise<number | undefined> {
    const [row] = await run<{ id: number }>(this.pool, FIND_SCOPE, valuesOf(whose));
    return row?.id;
  }

  #remember(key: string, id: number | undefined): number | undefined {
    if (id === undefined) return undefined;
    if (this.#known.size >= MOST_CACHED) this.#known.delete(this.#known.keys().next().value as string);
    this.#known.set(key, id);
    return id;
  }
}

const valuesOf = ({ tenant, principal, agentId }: Whose): string[] => [tenant, principal.id, agentId];
const keyOf = (whose: Whose): string => valuesOf(whose).join('\u0000');
