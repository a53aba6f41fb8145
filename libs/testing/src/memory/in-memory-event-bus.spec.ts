import { eventBusContract } from '../contracts/event-bus.contract.js';
import { InMemoryBusNetwork, InMemoryEventBus } from './in-memory-event-bus.js';

eventBusContract('memory', async () => {
  const network = new InMemoryBusNetwork();
  return { open: () => new InMemoryEventBus(network), anySize: true };
});
