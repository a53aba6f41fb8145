import { workQueueContract } from '../contracts/work-queue.contract.js';
import { InMemoryQueueServer, InMemoryWorkQueue } from './in-memory-work-queue.js';

workQueueContract('in memory', async () => {
  const server = new InMemoryQueueServer();
  return { open: () => new InMemoryWorkQueue(server) };
});
