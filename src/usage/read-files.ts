import { availableParallelism } from 'node:os';
import { messageOf } from '../failure.ts';
import type { StoreFile } from './find-files.ts';
import { type FileUsage, readUsage } from './read/file.ts';
import { formats } from './stores/registry.ts';

/** A file to be read, from the beginning or from where it was left. */
interface Task {
  path: string;
  format: string;
  known: FileUsage | undefined;
}

export type TaskResult = { usage: FileUsage } | { why: string };

/** What a thread gets: all files, and the number of the next one that nobody reads yet, which all threads share. */
export interface Work {
  tasks: readonly Task[];
  next: Int32Array<SharedArrayBuffer>;
}

/** Less than this is read sooner than another thread is started. */
const worthThread = 24 * 1024 * 1024;
const mostThreads = 8;

/** Reads files, on as many cores as are worth it. */
export async function readFiles(
  files: readonly (StoreFile & { known: FileUsage | undefined })[],
): Promise<Map<StoreFile, TaskResult>> {
  // The largest first: none of them is left for the end.
  const ordered = files.toSorted((a, b) => unread(b) - unread(a));
  const tasks = ordered.map(({ path, format, known }) => ({ path, format, known }));
  const bytes = ordered.reduce((sum, file) => sum + unread(file), 0);
  const threads = Math.min(availableParallelism(), mostThreads, Math.ceil(bytes / worthThread), tasks.length);
  const work: Work = { tasks, next: new Int32Array(new SharedArrayBuffer(4)) };
  const others = Array.from({ length: threads - 1 }, async () => inThread(work));
  const own = doWork(work);
  const results = new Map<StoreFile, TaskResult>();
  for (const part of [own, ...(await Promise.all(others))])
    for (const [index, result] of part) {
      const file = ordered[index];
      if (file !== undefined) results.set(file, result);
    }
  return results;
}

/** What is there to be read, in bytes, and what opening a file costs as if it were bytes. */
function unread({ size, known }: { size: number; known: FileUsage | undefined }): number {
  return Math.max(0, size - (known?.offset ?? 0)) + 20_000;
}

/** Reads one file after the other until none is left. */
export function doWork({ tasks, next }: Work): [number, TaskResult][] {
  const results: [number, TaskResult][] = [];
  for (;;) {
    const index = Atomics.add(next, 0, 1);
    const task = tasks[index];
    if (task === undefined) return results;
    results.push([index, read(task)]);
  }
}

function read({ path, format, known }: Task): TaskResult {
  const how = Object.hasOwn(formats, format) ? formats[format as keyof typeof formats] : undefined;
  if (how === undefined) return { why: `no reader for ${format}` };
  try {
    return { usage: readUsage(path, how, known) };
  } catch (error) {
    return { why: messageOf(error) };
  }
}

async function inThread(work: Work): Promise<[number, TaskResult][]> {
  const { Worker } = await import('node:worker_threads');
  // From the source and from dist/ alike.
  const script = `../usage/read-thread.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`;
  const thread = new Worker(new URL(script, import.meta.url), { workerData: work, stdin: false });
  return new Promise((resolve, reject) => {
    thread.once('message', resolve);
    thread.once('error', reject);
  });
}
