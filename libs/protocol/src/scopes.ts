/** What a credential can permit; each operation needs one of them (`OPERATIONS`). None implies another. */
export const SCOPES = Object.freeze(['tasks:read', 'tasks:write', 'push', 'card:extended', 'admin'] as const);

export type Scope = (typeof SCOPES)[number];

export const isScope = (text: string): text is Scope => (SCOPES as readonly string[]).includes(text);
