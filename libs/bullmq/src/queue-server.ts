import type { Processor, Queue, QueueOptions, Worker, WorkerOptions } from 'bullmq';

/** A worker, and what ends its connections when its server does not answer. */
export interface OpenWorker {
  readonly worker: Worker;
  disconnect(): void;
}

/** Where BullMQ keeps its queues: opens queues and workers on it, and says whether it answers. */
export interface QueueServer {
  openQueue(name: string, options: Omit<QueueOptions, 'connection'>): Queue;
  openWorker(name: string, processor: Processor, options: Omit<WorkerOptions, 'connection'>): OpenWorker;
  /** Resolves when the server answers; may take as long as it likes. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
