import { readdirSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readRepositoryFile } from '../files/repository-file.ts';

type Setting = readonly [key: string, value: string];

/** The settings that say where a push may go, as a pattern for git. */
export const addressSettings =
  'remote\\..*\\.(url|pushurl)|remote\\.pushdefault|branch\\..*\\.(remote|pushremote)|url\\..*\\.(insteadof|pushinsteadof)';

/** The folders on this machine that git would push to, whatever name, address or abbreviation a config has for them. */
export function localRemotes(
  { root, commonDir }: { root: string; commonDir: string },
  addresses: readonly Setting[],
): string[] {
  const shorter = addresses.flatMap(([key, short]) =>
    key.startsWith('url.') ? [{ short, long: key.slice(4, key.lastIndexOf('.')) }] : [],
  );
  const inConfig = addresses.flatMap(([key, value]) => (key.startsWith('url.') || value === '' ? [] : [value]));
  const named = new Set([...inConfig, ...inOwnFiles(commonDir)]);
  const whole = [...named].flatMap((name) => [
    name,
    ...shorter.flatMap(({ short, long }) => (name.startsWith(short) ? [long + name.slice(short.length)] : [])),
  ]);
  const paths = whole.map((address) => resolve(root, pathOf(address)));
  return [...new Set(paths.flatMap((path) => [path, `${path}.git`]).filter(isFolder))].flatMap((path) => [
    path,
    ...gitFolders(path),
  ]);
}

/** Before git had remotes in its config it had a file for each, which it still reads. */
function inOwnFiles(commonDir: string): string[] {
  const remotes = filesIn(join(commonDir, 'remotes')).flatMap((text) =>
    Array.from(text.matchAll(/^URL:(.*)$/gm), ([, url = '']) => url),
  );
  const branches = filesIn(join(commonDir, 'branches')).map((text) => text.trimStart().split(/[#\n]/, 1)[0] ?? '');
  return [...remotes, ...branches].map((url) => url.trim()).filter((url) => url !== '');
}

/** Git follows links here, too. */
function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).flatMap((name) => textAt(realpathIfThere(join(folder, name)), '/') ?? []);
  } catch {
    return [];
  }
}

function realpathIfThere(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
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
  return textAt(join(folder, name), folder)?.trimEnd();
}

function textAt(path: string, root: string): string | undefined {
  try {
    return readRepositoryFile(path, { root, maxBytes: mostBytes })?.text;
  } catch {
    return undefined;
  }
}
