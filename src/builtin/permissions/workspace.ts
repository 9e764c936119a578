import { constants, lstatSync, realpathSync } from 'node:fs';
import { lstat, mkdir, open, type FileHandle } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { messageOf, systemCode } from '../../failure.ts';
import { pathInside } from '../../files/inside.ts';
import { quoted } from '../../redact/quoted.ts';

/** Where file tools may work. */
export interface Workspace {
  cwd: string;
  /** Other folders, absolute or relative to `cwd`. */
  directories: readonly string[];
}

/** A path inside the workspace, free of links. */
export interface InsidePath {
  path: string;
  /** As rules and events write it: relative to the working directory, absolute in the other folders; always with `/`. */
  name: string;
  /** The path components below its root folder. */
  below: readonly string[];
}

/** Why a file tool refuses a call; the message is for the model. */
export class Refusal extends Error {}

/** Resolves a path with every link followed, or refuses it. */
export function locate(given: string, workspace: Workspace): InsidePath {
  if (given === '') throw new Refusal('the path is empty');
  if (given.includes('\0')) throw new Refusal('a path cannot contain a NUL byte');
  if (given.startsWith('~'))
    throw new Refusal(`${given}: ~ is not expanded; give a path relative to the working directory`);
  const cwd = realpathSync.native(workspace.cwd);
  const path = realPath(resolve(cwd, given), given);
  for (const root of [cwd, ...workspace.directories.flatMap((each) => existing(resolve(cwd, each)))]) {
    const inside = pathInside(root, path);
    if (inside === undefined) continue;
    const below = inside === '' ? [] : inside.split(sep);
    return { path, below, name: root === cwd ? below.join('/') || '.' : path.split(sep).join('/') };
  }
  throw new Refusal(`${given} is outside the working directory; file tools stay inside it`);
}

/** What a permission rule is matched against: the place or, for a path that will be refused anyway, the path itself. */
export function subjectOf(given: string, workspace: Workspace): string {
  try {
    return locate(given, workspace).name;
  } catch {
    return given;
  }
}

function realPath(path: string, given: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw new Refusal(explain(error, given));
    if (lstatSync(path, { throwIfNoEntry: false }) !== undefined)
      throw new Refusal(`${given} goes through a link that leads nowhere`);
    const parent = dirname(path);
    return join(realPath(parent, given), relative(parent, path));
  }
}

function existing(folder: string): string[] {
  try {
    return [realpathSync.native(folder)];
  } catch {
    return [];
  }
}

/** Without O_NONBLOCK, opening a FIFO would wait for its other end for ever. */
const careful = constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a regular file. */
export async function openForReading(place: InsidePath): Promise<FileHandle> {
  return checked(await open(place.path, constants.O_RDONLY | careful), place);
}

/** Opens an existing regular file, or creates one with its folders if allowed. Nothing is truncated yet. */
export async function openForWriting(
  place: InsidePath,
  mayCreate: boolean,
): Promise<{ file: FileHandle; isNew: boolean }> {
  // A hook or a setting in there may be a command that git runs later.
  if (place.below.some((name) => name.toLowerCase() === '.git'))
    throw new Refusal(`${place.name}: file tools do not write inside .git; use git`);
  try {
    return { file: await checked(await open(place.path, constants.O_RDWR | careful), place), isNew: false };
  } catch (error) {
    if (!mayCreate || systemCode(error) !== 'ENOENT') throw error;
  }
  await mkdir(dirname(place.path), { recursive: true });
  const file = await open(place.path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | careful, 0o666);
  return { file: await checked(file, place), isNew: true };
}

/** A folder on the path may have become a link since the path was resolved. */
async function checked(file: FileHandle, place: InsidePath): Promise<FileHandle> {
  try {
    const stat = await file.stat();
    if (stat.isDirectory()) throw new Refusal(`${place.name} is a folder`);
    if (!stat.isFile()) throw new Refusal(`${place.name} is not a regular file`);
    const now = await lstat(place.path);
    const isSame = now.ino === stat.ino && now.dev === stat.dev && realpathSync.native(place.path) === place.path;
    if (!isSame) throw new Refusal(`${place.name} moved while it was opened`);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** A file system error in words. */
export function explain(error: unknown, name: string): string {
  if (error instanceof Refusal) return error.message;
  const code = systemCode(error);
  const words: Record<string, string> = {
    ENOENT: `${name} does not exist`,
    ENOTDIR: `a part of ${name} is not a folder`,
    EISDIR: `${name} is a folder`,
    EACCES: `${name}: the system does not permit it`,
    EPERM: `${name}: the system does not permit it`,
    EEXIST: `${name} appeared in the same moment; try again`,
    ELOOP: `${name} goes through a link`,
    ENXIO: `${name} is not a regular file`,
    ENAMETOOLONG: `${quoted(name, 100)} is too long a name`,
  };
  return (code === undefined ? undefined : words[code]) ?? `${name}: ${messageOf(error)}`;
}
