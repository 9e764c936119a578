import { availableParallelism } from 'node:os';
import { messageOf } from '../failure.ts';
import { BatchWriter } from './batch.ts';
import type { StoreFile } from './find-files.ts';
import { type FileUsage, readUsage } from './read/file.ts';
import { formats } from './stores/registry.ts';

/** A file to be read, from the beginning or from where it was left. */
export interface Task extends StoreFile {
  known: FileUsage | undefined;
}

/** What a thread gets: all files, and the number of the next one that nobody reads yet, which all threads share. */
export interface Work {
  tasks: readonly Task[];
  next: Int32Array<SharedArrayBuffer>;
}

/** What a thread has read, and of which tasks it could not. */
export interface Reading {
  batches: Uint8Array<ArrayBuffer>[];
  failures: { task: number; why: string }[];
}

/** Less than this is read sooner than another thread is started. */
const worthThread = 24 * 1024 * 1024;
const mostThreads = 8;

/** Reads files, on as many cores as are worth it. */
export async function readFiles(tasks: readonly Task[]): Promise<Reading> {
  const bytes = tasks.reduce((sum, file) => sum + unread(file), 0);
  const threads = Math.min(availableParallelism(), mostThreads, Math.ceil(bytes / worthThread), tasks.length);
  const work: Work = { tasks, next: new Int32Array(new SharedArrayBuffer(4)) };
  const others = threads < 2 ? [] : inThreads(work, threads - 1);
  const own = doWork(work);
  const all = [own, ...(await Promise.all(others))];
  return { batches: all.flatMap(({ batches }) => batches), failures: all.flatMap(({ failures }) => failures) };
}

/** What is there to be read, in bytes, and what opening a file costs as if it were bytes. */
export function unread({ size, known }: { size: number; known: FileUsage | undefined }): number {
  return Math.max(0, size - (known?.offset ?? 0)) + 20_000;
}

/** How many files a thread takes at once: few enough that none waits for another at the end. */
const atOnce = 8;

/** Reads one file after the other until none is left. */
export function doWork({ tasks, next }: Work): Reading {
  const failures: Reading['failures'] = [];
  const batches: Reading['batches'] = [];
  let batch = new BatchWriter();
  const step = tasks.length > atOnce * 100 ? atOnce : 1;
  for (;;) {
    const first = Atomics.add(next, 0, step);
    for (let task = first; task < first + step && task < tasks.length; task += 1) {
      const file = tasks[task];
      if (file === undefined) continue;
      try {
        read(file, batch);
      } catch (error) {
        failures.push({ task, why: messageOf(error) });
      }
      if (!batch.isFull) continue;
      batches.push(batch.finish());
      batch = new BatchWriter();
    }
    if (first + step < tasks.length) continue;
    if (!batch.isEmpty) batches.push(batch.finish());
    return { batches, failures };
  }
}

function read(task: Task, batch: BatchWriter): void {
  const how = Object.hasOwn(formats, task.format) ? formats[task.format as keyof typeof formats] : undefined;
  if (how === undefined) throw new Error(`no reader for ${task.format}`);
  batch.add(task, (calls) => readUsage(task, how, calls));
}

/** Each in a thread of its own. */
function inThreads({ tasks, next }: Work, count: number): Promise<Reading>[] {
  const { Worker } = process.getBuiltinModule('node:worker_threads');
  // From the source and from dist/ alike.
  const script = `../usage/read-thread.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`;
  // What is known is a view into the whole index, and looks into it for its state: a thread gets its own part.
  const workerData: Work = {
    tasks: tasks.map(({ known, ...file }) => ({
      ...file,
      known: known === undefined ? undefined : { ...known, rows: known.rows.slice(), state: known.state },
    })),
    next,
  };
  return Array.from({ length: count }, async () => {
    const thread = new Worker(new URL(script, import.meta.url), { workerData, stdin: false });
    return new Promise((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
    });
  });
}
