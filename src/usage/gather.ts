import type { Environment } from '../words/vocabulary.ts';
import { type Known, readBatches } from './batch.ts';
import { filesOf, type StoreFile, type Unread } from './find-files.ts';
import type { FileUsage } from './read/file.ts';
import { readFiles, type Task, unread as unreadBytes } from './read-files.ts';
import type { Store } from './stores/store.ts';
import { UsageIndex } from './usage-index.ts';

/** What is in a file of a store. */
export interface Counted {
  file: StoreFile;
  usage: FileUsage;
}

export interface Gathered {
  /** The oldest file first. */
  counted: readonly Counted[];
  unread: readonly Unread[];
  /** How many files had to be opened. */
  opened: number;
}

export interface Gathering {
  stores: readonly Store[];
  env: Environment;
  /** Where the index is; undefined: none is kept. */
  index: string | undefined;
  warn(text: string): void;
}

/** The usage in all files of some stores: what did not change since the last time is taken from the index. */
export async function gather({ stores, env, index: path, warn }: Gathering): Promise<Gathered> {
  const { files, unread } = filesOf(stores, env);
  const index = path === undefined ? undefined : new UsageIndex(path, warn);
  const counted: Counted[] = [];
  const changed: Task[] = [];
  for (const file of files) {
    const known = index?.known.get(file.path);
    if (known !== undefined && isSame(known, file)) counted.push({ file, usage: known.usage });
    else changed.push({ ...file, known: known !== undefined && isGrown(known, file) ? known.usage : undefined });
  }
  const batches = changed.length === 0 ? [] : await readAll(changed, counted, unread);
  index?.write(batches, goneOf(index.known, files, stores, unread));
  counted.sort((a, b) => a.file.bornMs - b.file.bornMs || (a.file.path < b.file.path ? -1 : 1));
  return { counted, unread, opened: changed.length };
}

/** Reads what has changed; returns it as the index keeps it. */
async function readAll(changed: Task[], counted: Counted[], unread: Unread[]): Promise<Uint8Array[]> {
  // The largest first: none of them is left for the end.
  const tasks = changed.toSorted((a, b) => unreadBytes(b) - unreadBytes(a));
  const byPath = new Map(tasks.map((task) => [task.path, task]));
  const { batches, failures } = await readFiles(tasks);
  for (const { task, why } of failures) {
    const path = tasks[task]?.path;
    if (path !== undefined) unread.push({ path, why });
  }
  for (const batch of batches)
    for (const { path, usage } of readBatches(batch).known) {
      const file = byPath.get(path);
      if (file !== undefined) counted.push({ file, usage });
    }
  return batches;
}

function isSame(known: Known, { inode, size, mtimeMs, format }: StoreFile): boolean {
  return known.format === format && known.inode === inode && known.size === size && known.mtimeMs === mtimeMs;
}

/** Whether it may be the same file with more in it; its bytes tell. */
function isGrown(known: Known, { inode, size, format }: StoreFile): boolean {
  return known.format === format && known.inode === inode && known.size <= size;
}

/** What the index knows that is in no store any more. */
function goneOf(
  known: ReadonlyMap<string, Known>,
  files: readonly StoreFile[],
  stores: readonly Store[],
  unread: readonly Unread[],
): Set<string> {
  // What is in a folder that cannot be read now is still there.
  if (unread.length > 0 || known.size === 0) return new Set();
  const agents = new Set(stores.map(({ agent }) => agent));
  const present = new Set(files.map(({ path }) => path));
  const gone = [...known.values()].filter(({ path, agent }) => agents.has(agent) && !present.has(path));
  return new Set(gone.map(({ path }) => path));
}
