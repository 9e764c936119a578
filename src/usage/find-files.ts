import { readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { messageOf, systemCode } from '../failure.ts';
import type { Environment } from '../words/vocabulary.ts';
import type { FileStamp } from './read/file.ts';
import type { Store } from './stores/store.ts';

/** A file of a store, as it is now. */
export interface StoreFile extends FileStamp {
  path: string;
  agent: string;
  format: string;
  /** When it was made (ms since the epoch): of two files that hold the same call, the older one has it. */
  bornMs: number;
}

export interface Unread {
  path: string;
  why: string;
}

/** All files of some stores on this machine; what is not there is no problem, what may not be read is. */
export function filesOf(stores: readonly Store[], env: Environment): { files: StoreFile[]; unread: Unread[] } {
  const files: StoreFile[] = [];
  const unread: Unread[] = [];
  const seen = new Set<string>();
  for (const store of stores)
    for (const place of store.places(env)) {
      const search: Search = { store, root: place, files, unread, seen, depth: store.depth ?? deepest };
      const found = look(place, search);
      if (found?.isFile() === true) note(place, '', found, search);
      else if (found?.isDirectory() === true) inFolder(place, 1, search);
    }
  return { files, unread };
}

/** Links may lead in circles. */
const deepest = 12;

interface Search {
  store: Store;
  root: string;
  files: StoreFile[];
  unread: Unread[];
  /** Real folders and files: one that is reached by two ways counts once. */
  seen: Set<string>;
  depth: number;
}

function inFolder(folder: string, depth: number, search: Search): void {
  try {
    const real = realpathSync(folder);
    if (search.seen.has(`${search.store.agent} ${real}`)) return;
    search.seen.add(`${search.store.agent} ${real}`);
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (depth < search.depth) inFolder(path, depth + 1, search);
        continue;
      }
      const isLink = entry.isSymbolicLink();
      if (!isLink && !entry.isFile()) continue;
      const name = relative(search.root, path);
      if (!isLink && search.store.formatOf(name) === undefined) continue;
      const found = look(path, search);
      if (found?.isDirectory() === true && depth < search.depth) inFolder(path, depth + 1, search);
      else if (found?.isFile() === true) note(path, name, found, search);
    }
  } catch (error) {
    search.unread.push({ path: folder, why: messageOf(error) });
  }
}

function note(path: string, name: string, found: Stats, { store, files, seen }: Search): void {
  const format = store.formatOf(name);
  const key = `${store.agent} ${found.dev} ${found.ino}`;
  if (format === undefined || seen.has(key)) return;
  seen.add(key);
  const { ino: inode, size, mtimeMs, birthtimeMs } = found;
  // What a database was given last stands in a file beside it.
  const log = /\.(?:db|sqlite3?)$/.test(path) ? statSync(`${path}-wal`, { throwIfNoEntry: false }) : undefined;
  files.push({
    path,
    agent: store.agent,
    format,
    inode,
    size: size + (log?.size ?? 0),
    mtimeMs: Math.max(mtimeMs, log?.mtimeMs ?? 0),
    // Where the file system does not know when a file was made, it says 0.
    bornMs: birthtimeMs || mtimeMs,
  });
}

function look(path: string, { unread }: Search): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // A part of the path is a file, or a link leads in a circle.
    if (!['ENOTDIR', 'ELOOP'].includes(systemCode(error) ?? '')) unread.push({ path, why: messageOf(error) });
    return undefined;
  }
}
