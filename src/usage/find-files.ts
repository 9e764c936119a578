import { readdirSync, type Stats, statSync } from 'node:fs';
import { sep } from 'node:path';
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
  const seen = new Map<string, Seen>();
  for (const store of stores)
    for (const place of store.places(env)) {
      const ofAgent = seen.get(store.agent) ?? new Map<number, Set<number>>();
      seen.set(store.agent, ofAgent);
      const search: Search = { store, files, unread, seen: ofAgent, depth: store.depth ?? deepest };
      const found = look(place, search);
      if (found?.isFile() === true) note(place, '', found, search);
      else if (found?.isDirectory() === true) inFolder({ path: place, name: '', depth: 1 }, found, search);
    }
  return { files, unread };
}

/** Links may lead in circles. */
const deepest = 12;

/** Folders and files, by device: one that is reached by two ways counts once. */
type Seen = Map<number, Set<number>>;

interface Search {
  store: Store;
  files: StoreFile[];
  unread: Unread[];
  seen: Seen;
  depth: number;
}

interface Folder {
  path: string;
  /** The path below the place of the store, with a slash at its end. */
  name: string;
  depth: number;
}

function inFolder(folder: Folder, found: Stats, search: Search): void {
  if (!isNew(found, search.seen)) return;
  try {
    for (const entry of readdirSync(folder.path, { withFileTypes: true })) {
      const name = folder.name + entry.name;
      const isLink = entry.isSymbolicLink();
      const isFile = entry.isFile();
      if (!isLink && !isFile && !entry.isDirectory()) continue;
      if (isFile && search.store.formatOf(name) === undefined) continue;
      if (!isFile && !isLink && folder.depth >= search.depth) continue;
      const path = folder.path + sep + entry.name;
      const inside = look(path, search);
      if (inside?.isFile() === true) note(path, name, inside, search);
      else if (inside?.isDirectory() === true && folder.depth < search.depth)
        inFolder({ path, name: `${name}/`, depth: folder.depth + 1 }, inside, search);
    }
  } catch (error) {
    search.unread.push({ path: folder.path, why: messageOf(error) });
  }
}

function isNew({ dev, ino }: Stats, seen: Seen): boolean {
  const known = seen.get(dev);
  if (known === undefined) seen.set(dev, new Set([ino]));
  else if (known.has(ino)) return false;
  else known.add(ino);
  return true;
}

function note(path: string, name: string, found: Stats, { store, files, seen }: Search): void {
  const format = store.formatOf(name);
  if (format === undefined || !isNew(found, seen)) return;
  const { ino: inode, size, mtimeMs, birthtimeMs } = found;
  // What a database was given last stands in a file beside it.
  const log = isDatabase(path) ? statSync(`${path}-wal`, { throwIfNoEntry: false }) : undefined;
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

const isDatabase = (path: string): boolean => ['.db', '.sqlite', '.sqlite3'].some((ending) => path.endsWith(ending));

function look(path: string, { unread }: Search): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    // A part of the path is a file, or a link leads in a circle.
    if (!['ENOTDIR', 'ELOOP'].includes(systemCode(error) ?? '')) unread.push({ path, why: messageOf(error) });
    return undefined;
  }
}
