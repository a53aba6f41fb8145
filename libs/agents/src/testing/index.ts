export { eventsOf, testContext } from './test-context.js';
export type { TestTurn } from './test-context.js';
export { TestMemory } from './test-memory.js';
