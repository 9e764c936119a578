import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { messageOf } from '../failure.ts';
import type { Environment, IsolationKind } from '../words/vocabulary.ts';
import {
  copiesFolder,
  type CopyNote,
  goneEnding,
  isOwn,
  noteOf,
  otherCopiesFolder,
  type Owners,
  readNote,
  removeCopy,
} from './copies.ts';
import { dropUnchanged } from './drop.ts';
import { Git } from './git.ts';
import type { Isolation } from './isolation.ts';
import { type Kept, keepWork, lostInWords } from './keep.ts';
import { giveUp, slotFile } from './slots.ts';
import { rootsOf } from '../processes/trusted.ts';
import { isolationOf } from './choose-isolation.ts';

/** An existing copy. */
export interface Copy {
  id: string;
  isolation: IsolationKind;
  /** The checkout that it is a copy of, the branch that its work is kept on, and the commit that it began with. */
  root: string;
  branch: string;
  base: string;
  folder: string;
  made_at: number;
  /** `in_use`: the process that made it is alive, or may be, on another machine; `left`: nothing else will ever remove it. */
  state: 'in_use' | 'left';
}

/** What happened to a copy that was left. */
export interface Reclaimed {
  copy: Copy;
  /** Its work; absent where none had begun or it could not be kept. */
  kept?: Kept;
  /** Why it is still there. */
  problem?: string;
}

export interface Reclaim {
  copies: Reclaimed[];
  /** Folders and files that no longer belonged to a copy. */
  strays: string[];
}

export interface ReclaimOptions {
  owners: Owners;
  /** Only these; unset: all that were left. */
  ids?: readonly string[] | undefined;
  /** Only reports what would be done. */
  dryRun?: boolean;
  /** Also removes what could not be kept, such as work on a repository that no longer exists. */
  discards?: boolean;
  now?: number;
}

/** All copies of this user, the oldest first. */
export function listCopies(env: Environment, owners: Owners): Copy[] {
  return notesIn(env).map((note) => copyOf(note, owners));
}

/** Keeps the work in copies that were left, each on its branch, and removes them, along with anything else a crash may have left. */
export async function reclaim(
  env: Environment,
  { owners, ids, dryRun = false, discards = false, now = Date.now() }: ReclaimOptions,
): Promise<Reclaim> {
  const copies: Reclaimed[] = [];
  for (const note of notesIn(env)) {
    const copy = copyOf(note, owners);
    if (copy.state === 'in_use' || (ids !== undefined && !ids.includes(copy.id))) continue;
    copies.push(dryRun ? { copy } : { copy, ...(await reclaimOne(note, env, discards)) });
  }
  const strays = ids === undefined ? straysIn(env, owners, now) : [];
  for (const { path, holder } of dryRun ? [] : strays) {
    if (holder === undefined) rmSync(path, { recursive: true, force: true });
    else giveUp(path, holder);
  }
  return { copies, strays: strays.map(({ path }) => path) };
}

async function reclaimOne(
  { plan, kind, slot, is_ready }: CopyNote,
  env: Environment,
  discards: boolean,
): Promise<Omit<Reclaimed, 'copy'>> {
  const { root, commonDir, folder } = plan;
  // Work in a worktree or a clone can be kept even without the checkout: it only needs the repository.
  const isThere = existsSync(commonDir) && (kind !== 'overlay' || existsSync(root));
  const roots = rootsOf(plan, env);
  const git = new Git(existsSync(root) ? root : '/', env, roots);
  const isolation = isolationOf(kind, plan, { git, env });
  try {
    const kept = is_ready && existsSync(folder) ? await keepIfThere(isThere, plan, isolation, env) : undefined;
    if (kept !== undefined && kept.lost.length > 0 && !discards) return { kept, problem: lostInWords(kept) };
    await removeCopy({ folder, slot }, isolation);
    const isIdle = kept === undefined || (kept.commit === kept.base && kept.notes.length === 0);
    if (isIdle && isThere)
      await dropUnchanged({ git: new Git(commonDir, env, roots) }, kept ?? { ...plan, commit: plan.base });
    return isIdle ? {} : { kept };
  } catch (error) {
    if (!discards) return { problem: messageOf(error) };
    await removeCopy({ folder, slot }, isolation);
    return {};
  }
}

async function keepIfThere(
  isThere: boolean,
  plan: CopyNote['plan'],
  isolation: Isolation,
  env: Environment,
): Promise<Kept> {
  if (!isThere) throw new Error(`its repository ${plan.commonDir} is gone`);
  return keepWork(plan, isolation, { env });
}

function copyOf({ plan, kind, owner, made_at }: CopyNote, owners: Owners): Copy {
  const { root, branch, base, folder } = plan;
  const isLeft = owners.isGone(owner, changedAt(noteOf(folder)));
  return {
    id: basename(folder),
    isolation: kind,
    root,
    branch,
    base,
    folder,
    made_at,
    state: isLeft ? 'left' : 'in_use',
  };
}

function notesIn(env: Environment): CopyNote[] {
  return foldersOf(env)
    .flatMap((folder) =>
      namesIn(folder)
        .filter((name) => name.endsWith('.json'))
        .map((name) => readNote(join(folder, name), folder)),
    )
    .filter((note) => note !== undefined)
    .toSorted((a, b) => a.made_at - b.made_at);
}

function foldersOf(env: Environment): string[] {
  return [copiesFolder(env), otherCopiesFolder()].filter(isOwn);
}

/** A copy that is being made has no note yet, and one that is being removed has none any more. */
const graceMs = 60 * 60_000;
const removingMs = 60_000;
const ownNames = /^(?:try-)?[0-9a-f]{12}(?:\.gone|\.json\.new)?$|^\d+\.slot\.\d+$/;

function straysIn(env: Environment, owners: Owners, now: number): { path: string; holder?: string }[] {
  const held = new Set(notesIn(env).map(({ plan, slot }) => slotFile(dirname(plan.folder), slot)));
  return foldersOf(env).flatMap((folder) =>
    namesIn(folder).flatMap((name) => {
      const path = join(folder, name);
      if (held.has(path)) return [];
      if (name.endsWith('.slot')) return straySlot(path, owners);
      const isOld = now - movedAt(path) > (name.endsWith(goneEnding) ? removingMs : graceMs);
      return ownNames.test(name) && isOld && !existsSync(noteOf(path)) ? [{ path }] : [];
    }),
  );
}

function straySlot(path: string, owners: Owners): { path: string; holder: string }[] {
  try {
    const holder = readFileSync(path, 'utf8');
    return owners.isGone(JSON.parse(holder), changedAt(path)) ? [{ path, holder }] : [];
  } catch {
    return [];
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function movedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? 0;
}

function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
