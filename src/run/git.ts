import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { present } from '../json/present.ts';
import { readRepositoryFile } from '../files/repository-file.ts';
import { repositoryName } from '../stores/repository-name.ts';

/** The project and branch that a thread belongs to. */
export interface Project {
  projectName: string;
  parentBranchId: string;
}

/** A repository, its branch and its commit; unknown values are empty. */
export interface GitPlace {
  /** The name of its folder. */
  repo: string;
  /** `owner/name`, as its remote calls it. */
  identity?: string;
  branch: string;
  commit: string;
}

/** The git repository that a folder belongs to, read from its files: git itself may not be installed, and is slower. */
export function gitPlace(cwd: string): GitPlace {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const git = gitFolder(join(folder, '.git'));
    if (git !== undefined) return { repo: basename(folder), ...headOf(git), ...present({ identity: identityOf(git) }) };
    if (folder === dirname(folder)) return { repo: '', branch: '', commit: '' };
  }
}

/** `.git` is a folder, or, in a worktree or a submodule, a file that names one. */
function gitFolder(path: string): string | undefined {
  try {
    if (statSync(path).isDirectory()) return lineOf(path, 'HEAD') === '' ? undefined : path;
    const named = /^gitdir: (.+)$/.exec(lineOf(dirname(path), basename(path)))?.[1];
    return named === undefined ? undefined : resolve(dirname(path), named);
  } catch {
    return undefined;
  }
}

/** Of `origin`, else of the first remote. */
function identityOf(git: string): string | undefined {
  const config = read(resolve(git, lineOf(git, 'commondir')), 'config', mostOfConfig);
  let remote: string | undefined;
  let first: string | undefined;
  for (const line of config.split('\n')) {
    const text = line.trim();
    if (text.startsWith('[')) remote = /^\[remote "([^"]*)"\]/.exec(text)?.[1];
    const address = remote === undefined ? undefined : /^url\s*=(.*)$/.exec(text)?.[1];
    const name = address === undefined ? undefined : repositoryName(address);
    if (name !== undefined && remote === 'origin') return name;
    first ??= name;
  }
  return first;
}

/** Accepts only what git itself would write: a HEAD that is, or names, some other file must not turn that file into a label. */
function headOf(git: string): Pick<GitPlace, 'branch' | 'commit'> {
  const head = lineOf(git, 'HEAD');
  const ref = /^ref: (refs\/[^\s\p{Cc}\\]+)$/u.exec(head)?.[1];
  if (ref === undefined || ref.split('/').includes('..')) return { branch: '', commit: commitOf(head) };
  // A worktree shares the branches of the repository it was made from.
  const shared = resolve(git, lineOf(git, 'commondir'));
  const commit = commitOf(lineOf(git, ref)) || commitOf(lineOf(shared, ref)) || packedCommit(shared, ref);
  return { branch: /^refs\/heads\/(.+)$/.exec(ref)?.[1] ?? '', commit };
}

function packedCommit(git: string, ref: string): string {
  const packed = read(git, 'packed-refs', mostPacked)
    .split('\n')
    .find((line) => line.endsWith(` ${ref}`));
  return commitOf(packed?.split(' ')[0] ?? '');
}

function commitOf(text: string): string {
  return /^[\da-f]{40}(?:[\da-f]{24})?$/.test(text) ? text : '';
}

/** Far more than a path or a branch takes. */
const mostOfLine = 8 * 1024;
/** Thousands of branches with their settings. */
const mostOfConfig = 1024 * 1024;
/** Some hundred thousand branches and tags. */
const mostPacked = 32 * 1024 * 1024;

/** The first line of a small file. */
function lineOf(folder: string, name: string): string {
  return (read(folder, name, mostOfLine).split('\n', 1)[0] ?? '').trim();
}

/** Empty where the file is missing, is not a regular file, or is too long. */
function read(folder: string, name: string, maxBytes: number): string {
  try {
    const file = readRepositoryFile(join(folder, name), { root: folder, maxBytes });
    return file === undefined || file.leftOut > 0 ? '' : file.text;
  } catch {
    return '';
  }
}
