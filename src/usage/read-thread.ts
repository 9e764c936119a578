import { parentPort, workerData } from 'node:worker_threads';
import { doWork, type Work } from './read-files.ts';

const reading = doWork(workerData as Work);
parentPort?.postMessage(
  reading,
  reading.batches.map(({ buffer }) => buffer),
);
