import { messageOf } from '../failure.ts';
import type { Environment } from '../words/vocabulary.ts';
import { filesOf, type StoreFile, type Unread } from './find-files.ts';
import type { FileUsage } from './read/file.ts';
import { readFiles } from './read-files.ts';
import type { Store } from './stores/store.ts';
import { type Known, UsageIndex } from './usage-index.ts';

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
  const index = path === undefined ? undefined : await UsageIndex.open(path, warn);
  try {
    const known = index === undefined ? new Map<string, Known>() : readIndex(index, warn);
    const same: Counted[] = [];
    const changed: (StoreFile & { known: FileUsage | undefined })[] = [];
    for (const file of files) {
      const before = known.get(file.path);
      if (before !== undefined && isSame(before, file)) same.push({ file, usage: before.usage });
      else changed.push({ ...file, known: before !== undefined && isGrown(before, file) ? before.usage : undefined });
    }
    const read = changed.length === 0 ? [] : [...(await readFiles(changed))];
    const fresh: Counted[] = [];
    for (const [file, result] of read) {
      if ('usage' in result) fresh.push({ file, usage: result.usage });
      else unread.push({ path: file.path, why: result.why });
    }
    if (index !== undefined) writeIndex(index, { fresh, known, files, unread }, warn);
    const counted = [...same, ...fresh].toSorted(
      (a, b) => a.file.bornMs - b.file.bornMs || (a.file.path < b.file.path ? -1 : 1),
    );
    return { counted, unread, opened: changed.length };
  } finally {
    index?.close();
  }
}

function isSame(known: Known, { inode, size, mtimeMs, format }: StoreFile): boolean {
  return known.format === format && known.inode === inode && known.size === size && known.mtimeMs === mtimeMs;
}

/** Whether it may be the same file with more in it; its bytes tell. */
function isGrown(known: Known, { inode, size, format }: StoreFile): boolean {
  return known.format === format && known.inode === inode && known.size <= size;
}

function readIndex(index: UsageIndex, warn: (text: string) => void): Map<string, Known> {
  try {
    return index.read();
  } catch (error) {
    warn(`the index of what was counted cannot be read, so all files are: ${messageOf(error)}`);
    return new Map();
  }
}

interface Outcome {
  fresh: readonly Counted[];
  known: ReadonlyMap<string, Known>;
  files: readonly StoreFile[];
  unread: readonly Unread[];
}

/** What is counted is right without it: on a full disk, all files are read again the next time. */
function writeIndex(index: UsageIndex, { fresh, known, files, unread }: Outcome, warn: (text: string) => void): void {
  const present = new Set(files.map(({ path }) => path));
  // What is in a folder that cannot be read now is still there.
  const gone = unread.length > 0 ? [] : [...known.keys()].filter((path) => !present.has(path));
  if (fresh.length === 0 && gone.length === 0) return;
  try {
    index.write(fresh, gone);
  } catch (error) {
    warn(`what was counted could not be kept for the next time: ${messageOf(error)}`);
  }
}
