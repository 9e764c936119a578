import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readRepositoryFile } from '../repository-file.ts';

type Setting = readonly [key: string, value: string];

/** The settings that say where a push may go, as a pattern for git. */
export const addressSettings =
  'remote\\..*\\.(url|pushurl)|remote\\.pushdefault|branch\\..*\\.(remote|pushremote)|url\\..*\\.(insteadof|pushinsteadof)';

/** The folders on this machine that git would push to, whatever name, address or abbreviation a config has for them. */
export function localRemotes(root: string, addresses: readonly Setting[]): string[] {
  const shorter = addresses.flatMap(([key, short]) =>
    key.startsWith('url.') ? [{ short, long: key.slice(4, key.lastIndexOf('.')) }] : [],
  );
  const named = new Set(addresses.flatMap(([key, value]) => (key.startsWith('url.') || value === '' ? [] : [value])));
  const whole = [...named].flatMap((name) => [
    name,
    ...shorter.flatMap(({ short, long }) => (name.startsWith(short) ? [long + name.slice(short.length)] : [])),
  ]);
  const paths = whole.map((address) => resolve(root, pathOf(address)));
  return [...new Set(paths.flatMap((path) => [path, `${path}.git`]).filter(isFolder))].flatMap((path) => [path, ...gitFolders(path)]);
}

export function isAddress(key: string): boolean {
  return /^(?:remote|branch|url)\./.test(key);
}

function pathOf(address: string): string {
  const path = address.replace(/^file:\/\//i, '');
  try {
    return path === address ? address : decodeURIComponent(path);
  } catch {
    return path;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Where a checkout has its git folder, if that is elsewhere, and where a linked worktree has the one with its branches. */
function gitFolders(path: string): string[] {
  const own = lineOf(path, '.git')?.replace(/^gitdir: /, '');
  if (own === undefined) return [];
  const folder = resolve(path, own);
  const common = lineOf(folder, 'commondir');
  return [folder, ...(common === undefined ? [] : [resolve(folder, common)])].filter(isFolder);
}

const mostBytes = 4096;

function lineOf(folder: string, name: string): string | undefined {
  try {
    return readRepositoryFile(join(folder, name), { root: folder, maxBytes: mostBytes })?.text.trimEnd();
  } catch {
    return undefined;
  }
}
