import { sharedPlacesContract } from '../contracts/shared-places.contract.js';
import { InMemorySharedPlaces } from './in-memory-shared-places.js';

sharedPlacesContract('in memory', async () => {
  const places = new InMemorySharedPlaces();
  return { open: () => places };
});
