import type { RunOrder } from '../contract/orders.ts';
import type { Queue } from './queue.ts';

/** Tells the worker of a run at its next heartbeat; returns what was done, or why not. */
export async function orderJob(queue: Queue, run: string, order: RunOrder): Promise<string | { refused: string }> {
  void queue;
  void run;
  void order;
  return { refused: 'it is in the queue, and workers take no orders yet' };
}
