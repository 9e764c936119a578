import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readlink, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Git } from './git.ts';

/** Everything that decides what a push runs and where it goes, each by its name, as a value that differs when it does. */
export type PushGround = ReadonlyMap<string, string>;

/** Settings that ordinary work changes, and that neither a push reads nor a command of git that a hook may use runs. */
const harmless =
  /^(?:branch|user|author|committer|maintenance|rerere|advice|color)\.|^gc\.(?:auto|autodetach|pruneexpire)$/;
const ofSubmodules = ['.url', '.active'];

function isHarmless(key: string): boolean {
  return harmless.test(key) || (key.startsWith('submodule.') && ofSubmodules.some((end) => key.endsWith(end)));
}

const mostFiles = 2000;

/** Git's settings from every file, and the hooks. Agents may share these with the user, so a push compares them with those from before. */
export async function pushGround(git: Git): Promise<PushGround> {
  const [listed, hooks] = await Promise.all([
    git.text(['config', '--list', '-z'], { hooks: true }),
    git.text(['rev-parse', '--git-path', 'hooks'], { hooks: true }),
  ]);
  const ground = new Map<string, string>();
  for (const entry of listed.split('\0')) {
    const end = entry.indexOf('\n');
    const key = end === -1 ? entry : entry.slice(0, end);
    // A setting may be given several times, and a value may be missing.
    if (key !== '' && !isHarmless(key))
      ground.set(key, `${ground.get(key) ?? ''}${JSON.stringify(end === -1 ? null : entry.slice(end + 1))}`);
  }
  const folder = resolve(git.cwd, hooks);
  // Husky keeps what its hooks run in the folder above.
  for (const [name, value] of await filesIn(basename(folder) === '_' ? dirname(folder) : folder))
    ground.set(`the hook ${name}`, value);
  return ground;
}

/** The names of what is different, new or gone. An address within a name is left out: it may hold a password. */
export function changesOf(before: PushGround, now: PushGround): string[] {
  const names = [...new Set([...before.keys(), ...now.keys()])].filter((name) => before.get(name) !== now.get(name));
  return names.map((name) => (name.includes('://') ? withoutMiddle(name.split('.')) : name));
}

function withoutMiddle(parts: readonly string[]): string {
  return [parts[0], '*', parts.at(-1)].join('.');
}

async function filesIn(folder: string): Promise<[name: string, value: string][]> {
  const all = await readdir(folder, { recursive: true }).catch(() => []);
  // Git comes with samples, and runs none of them.
  const names = all.filter((name) => !name.endsWith('.sample'));
  const found: [string, string][] = [];
  for (const name of names.toSorted().slice(0, mostFiles)) {
    const path = join(folder, name);
    const link = await readlink(path).catch(() => '');
    const what = await stat(path).catch(() => undefined);
    if (what?.isFile() === true)
      found.push([name, `${link} ${what.mode} ${await digestOf(path).catch(() => 'unreadable')}`]);
  }
  return names.length > mostFiles ? [...found, ['folder', String(names.length)]] : found;
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
