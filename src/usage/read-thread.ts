import { parentPort, workerData } from 'node:worker_threads';
import { doWork, type Work } from './read-files.ts';

const results = doWork(workerData as Work);
parentPort?.postMessage(
  results,
  results.flatMap(([, result]) => ('usage' in result ? [result.usage.rows.buffer] : [])),
);
