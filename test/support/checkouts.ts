import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { owners } from '../../src/run/sources/isolated.ts';
import { type RanInside, runInside } from '../../src/workspace/run-inside.ts';
import { type Kept, Workspace, type WorkspaceAsk } from '../../src/workspace/workspace.ts';

/** A home of its own for what a test does with git: nothing of the machine's config, state or identity reaches it. */
export interface Place {
  folder: string;
  env: Record<string, string>;
  git(cwd: string, ...args: string[]): string;
  /** A repository with one commit of these files, in a folder of its own, another at each call. */
  checkout(name: string, files?: Readonly<Record<string, string>>): string;
  remove(): void;
}

const identity = '[user]\n\tname = Ada\n\temail = ada@example.com\n';

export function makeCheckout(name = 'runwire-place-'): Place {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), name)));
  const home = join(folder, 'home');
  mkdirSync(home);
  writeFileSync(
    join(home, '.gitconfig'),
    `${identity}[init]\n\tdefaultBranch = main\n[safe]\n\tdirectory = *\n[protocol "file"]\n\tallow = always\n`,
  );
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    XDG_STATE_HOME: join(folder, 'state'),
    GIT_CONFIG_NOSYSTEM: '1',
  };
  const git = (cwd: string, ...args: string[]): string =>
    execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).replace(/\n$/, '');
  return {
    folder,
    env,
    git,
    checkout(at, files = { 'README.md': 'read me\n', 'src/main.ts': 'export {};\n' }) {
      const root = join(mkdtempSync(join(folder, 'checkout-')), at);
      writeFiles(root, files);
      git(root, 'init', '-q');
      git(root, 'add', '-A');
      git(root, 'commit', '-q', '-m', 'first');
      return root;
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(root, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

export interface Worked {
  kept: Kept;
  ran: RanInside;
  workspace: Workspace;
}

/** One piece of work in a copy, from its making to its end. */
export async function workIn(
  { env }: Pick<Place, 'env'>,
  cwd: string,
  script: string,
  ask: Partial<WorkspaceAsk> = {},
): Promise<Worked> {
  const { signal } = new AbortController();
  const whole: WorkspaceAsk = { isolate: 'auto', dirty: 'refuse', branch: 'runwire/test/1-work', copied: [], ...ask };
  const workspace = await Workspace.plan(whole, { cwd, env, owners });
  try {
    await workspace.create(signal);
    const ran = await runInside(workspace, script, { env, signal });
    return { kept: await workspace.keep(), ran, workspace };
  } finally {
    await workspace.remove();
  }
}

/**
 * All that must be the same after work in a copy: every file with its mode and bytes, and of the git folder everything but
 * new objects and branches of ours.
 */
export function fingerprint(root: string, gitDir: string = join(root, '.git')): Record<string, string> {
  const found: Record<string, string> = {};
  walk(root, 'tree', (path) => path === 'tree/.git');
  if (lstatSync(gitDir, { throwIfNoEntry: false })?.isDirectory() === true) walk(gitDir, 'git', isOurs);
  return found;

  function walk(folder: string, name: string, skips: (path: string) => boolean): void {
    for (const entry of readdirSync(folder).toSorted()) {
      const path = join(folder, entry);
      const shown = `${name}/${entry}`;
      if (skips(shown)) continue;
      const stat = lstatSync(path);
      found[shown] = `${(stat.mode & 0o177777).toString(8)} ${contentOf(path, stat.isSymbolicLink(), stat.isFile())}`;
      if (stat.isDirectory()) walk(path, shown, skips);
    }
  }
}

function isOurs(path: string): boolean {
  return /^git\/(?:modules\/.+\/)?(?:objects|(?:logs\/)?refs\/heads\/runwire)$/.test(path);
}

function contentOf(path: string, isLink: boolean, isFile: boolean): string {
  if (isLink) return readlinkSync(path);
  return isFile ? createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 16) : '';
}
