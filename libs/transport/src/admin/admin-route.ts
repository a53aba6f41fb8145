import type { Caller } from '#core';
import type { Change } from './admin-audit.js';

/** A request to the admin API whose sender may administrate. */
export interface AdminCall {
  /** `tenantMeant` and `permitAgent` say whose data it may be about. */
  readonly caller: Caller;
  /** What stands in the path for the segments that begin with a colon. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Those that came several times as lists. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Parsed JSON; undefined when there is none. */
  readonly body: unknown;
  /** To be called before something is changed: the audit log then has what it was, and what came of it. */
  readonly changes: (change: Change) => void;
}

/** One thing that an administrator can ask for. */
export interface AdminRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below `/admin`, as `push/tasks/:taskId`: a segment that begins with a colon is any text. */
  readonly path: string;
  /** Resolves with what is answered as JSON. Rejects with an A2AError for what the caller is to see. */
  answer(call: AdminCall): Promise<object>;
}

/** The routes of one path, by method, and what stands in it. */
export interface FoundRoutes {
  readonly byMethod: ReadonlyMap<string, AdminRoute>;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The routes at `segments`, which are decoded; undefined when there are none. Of two paths that fit, the one that is listed first. */
export function routesAt(routes: readonly AdminRoute[], segments: readonly string[]): FoundRoutes | undefined {
  const first = routes.find(({ path }) => parametersOf(path, segments) !== undefined);
  if (!first) return undefined;
  const same = routes.filter(({ path }) => path === first.path);
  return {
    byMethod: new Map(same.map((route) => [route.method, route])),
    parameters: parametersOf(first.path, segments) as Record<string, string>,
  };
}

function parametersOf(path: string, segments: readonly string[]): Record<string, string> | undefined {
  const pattern = path.split('/');
  const fits = (part: string, n: number): boolean => (part.startsWith(':') ? segments[n] !== '' : part === segments[n]);
  if (pattern.length !== segments.length || !pattern.every(fits)) return undefined;
  return Object.fromEntries(pattern.flatMap((part, n) => (part.startsWith(':') ? [[part.slice(1), segments[n] as string]] : [])));
}
