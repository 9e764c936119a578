import type { Border } from '../processes/confined.ts';
import { existsSync, lstatSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { Failure } from '../failure.ts';
import { isInside, pathInside } from '../files/inside.ts';
import { randomPart } from '../ids/new-id.ts';
import type { Dirty, Environment, IsolationKind } from '../words/vocabulary.ts';
import { quotedEnd } from '../redact/quoted.ts';
import { type Base, findBase } from './base.ts';
import {
  copiesFolder,
  type CopyNote,
  isOwn,
  keepHeard,
  noteOf,
  otherCopiesFolder,
  type Owners,
  removeCopy,
  writeNote,
} from './copies.ts';
import { dropUnchanged } from './drop.ts';
import { withConfig } from './git.ts';
import { chooseIsolation, isolationOf, mayBeOverlay, tryOverlay } from './choose-isolation.ts';
import type { CopyPlan, Isolation, Order } from './isolation.ts';
import { type Kept, keepWork } from './keep.ts';
import { localRemotes } from './local-remotes.ts';
import { missingHooks, missingIn } from './missing-parts.ts';
import { namesIn, namesScript, wordsFor } from './names.ts';
import { layersOver, whyNoLayers } from './overlay.ts';
import { askRepository, type Repository } from './repository.ts';
import { slotFile, slotVariables, takeSlot } from './slots.ts';
import { parseJson } from '../json/parse.ts';
import { makeFolder } from '../files/make-folder.ts';

export type { Kept } from './keep.ts';
export type { Owners } from './copies.ts';

export interface WorkspaceAsk {
  isolate: 'auto' | IsolationKind;
  /** The branch or commit to start from; unset: what is checked out. */
  from?: string | undefined;
  dirty: Dirty;
  /** The branch that the work is kept on. */
  branch: string;
  /** Untracked files, relative to the top of the checkout. */
  copied: readonly string[];
  /** A command that prepares the copy. */
  setup?: string | undefined;
  /** The environment of that command; unset: ours. */
  setupEnv?: Environment | undefined;
  /** Nothing in it is worth keeping: after a crash it is just removed. */
  isDisposable?: boolean;
}

/** A private copy of a checkout for one piece of work, whose effect is kept as a branch. */
export class Workspace {
  readonly repository: Repository;
  readonly base: Base;
  /** Why it is not the isolation that `auto` prefers, and what the copy lacks. */
  readonly remark: string | undefined;
  #plan: CopyPlan;
  readonly #isolation: Isolation;
  readonly #copies: string;
  readonly #setup: string | undefined;
  readonly #setupEnv: Environment;
  readonly #isDisposable: boolean;
  readonly #owners: Owners;
  readonly #env: Environment;
  #slot = 0;
  #kept: Kept | undefined;
  #endsHearing = (): void => {};

  private constructor(parts: {
    repository: Repository;
    base: Base;
    plan: CopyPlan;
    isolation: Isolation;
    remark: string | undefined;
    ask: WorkspaceAsk;
    env: Environment;
    owners: Owners;
    copies: string;
  }) {
    const { repository, base, plan, isolation, remark, ask, env, owners, copies } = parts;
    this.repository = repository;
    this.base = base;
    this.remark = remark;
    this.#plan = plan;
    this.#isolation = isolation;
    this.#copies = copies;
    this.#setup = ask.setup;
    this.#setupEnv = ask.setupEnv ?? env;
    this.#isDisposable = ask.isDisposable === true;
    this.#owners = owners;
    this.#env = env;
  }

  /** Decides everything without making anything. Throws an `input` failure when there can be no copy. */
  static async plan(
    ask: WorkspaceAsk,
    { cwd, env, owners }: { cwd: string; env: Environment; owners: Owners },
  ): Promise<Workspace> {
    const { repository, answer } = await askRepository(cwd, env, namesScript, wordsFor(ask.branch));
    const { branch, addresses, hooks, settings } = namesIn(answer, ask.branch);
    const { root, gitDir, commonDir } = repository;
    const copies = folderFor(repository, env);
    const folder = join(copies, shortName());
    const copied = ask.copied.map((path) => insideOf(repository, path));
    const [base, whyNot] = await Promise.all([
      findBase(repository, { ...ask, folder, isElsewhere: !mayBeOverlay(ask.isolate) }),
      mayBeOverlay(ask.isolate) ? tryOverlay(join(copies, `try-${shortName()}`)) : undefined,
    ]);
    // A layer over the folder that holds the layers would cover itself.
    const remotes = (): string[] =>
      localRemotes(repository, addresses).filter((path) => !isInside(root, path) && !isInside(copies, path));
    const layers =
      mayBeOverlay(ask.isolate) && whyNot === undefined ? layersOver([root, commonDir, gitDir, ...remotes()]) : [];
    const { kind, remarks } = chooseIsolation(ask.isolate, whyNot ?? whyNoLayers(layers, commonDir));
    const { commit, isCheckedOut, isSnapshot } = base;
    const plan: CopyPlan = {
      root,
      gitDir,
      commonDir,
      folder,
      branch,
      base: commit,
      isCheckedOut,
      isSnapshot,
      copied,
      layers,
      settings,
    };
    const isolation = isolationOf(kind, plan, { git: repository.git, env });
    const missing = kind === 'overlay' ? [] : [...missingIn(root), ...(await missingHooks(repository, commit, hooks))];
    const remark = [...remarks, ...missing].join('; ') || undefined;
    return new Workspace({ repository, base, plan, isolation, remark, ask, env, owners, copies });
  }

  get isolation(): IsolationKind {
    return this.#isolation.kind;
  }

  get branch(): string {
    return this.#plan.branch;
  }

  /** What was kept of it last. */
  get kept(): Kept | undefined {
    return this.#kept;
  }

  /** Where the top of the checkout is in the copy. */
  get top(): string {
    return this.#isolation.top;
  }

  /** Where everything of the copy is. */
  get folder(): string {
    return this.#plan.folder;
  }

  /** The working directory: the folder that was asked about, in the copy. */
  get cwd(): string {
    return join(this.#isolation.top, this.repository.below);
  }

  async create(signal: AbortSignal): Promise<void> {
    const { folder } = this.#plan;
    makeFolder(folder);
    const owner = this.#owners.self();
    const isFree = (holder: string, heardAt: number): boolean => this.#owners.isGone(parseJson(holder), heardAt);
    this.#slot = takeSlot(this.#copies, isFree, JSON.stringify(owner));
    const note: CopyNote = {
      plan: this.#plan,
      kind: this.isolation,
      slot: this.#slot,
      owner,
      made_at: Date.now(),
      is_ready: false,
    };
    writeNote(note);
    this.#endsHearing = keepHeard([noteOf(folder), slotFile(this.#copies, this.#slot)]);
    await this.#isolation.create(signal);
    if (!existsInside(this.#isolation, this.#plan, this.repository.below))
      throw new Failure(
        'input',
        `the folder ${this.repository.below} is not in ${this.base.branchId}: name another one with --cwd`,
      );
    if (this.#setup !== undefined) await this.#setUp(this.#setup, signal);
    if (!this.#isDisposable) writeNote({ ...note, is_ready: true });
  }

  /** The same command inside, with the variables of this copy; with a border, also within that. */
  inside({ env, ...order }: Order, border?: Border): Order {
    const rest = Object.fromEntries(Object.entries(env).filter(([name]) => !withheld.has(name)));
    const config = withConfig(rest, configInside);
    return this.#isolation.inside({ ...order, env: { ...rest, ...this.variables, ...config } }, border);
  }

  /** A private folder for what the work needs beside the copy: as we see it, and as the work does. It is there once the copy is. */
  scratch(name: string): { outside: string; inside: string } {
    return this.#isolation.scratch(name);
  }

  get variables(): Record<string, string> {
    return {
      ...slotVariables(this.#slot, shortOf(this.#plan.folder)),
      GIT_TERMINAL_PROMPT: '0',
      GIT_ASKPASS: '',
      SSH_ASKPASS: '',
    };
  }

  /** Commits all work, including untracked files, to its branch. May be called again when more has been done. */
  async keep(signal?: AbortSignal): Promise<Kept> {
    this.#kept = await keepWork(this.#plan, this.#isolation, { env: this.#env, before: this.#kept?.commit, signal });
    this.#plan = { ...this.#plan, branch: this.#kept.branch };
    return this.#kept;
  }

  async remove(): Promise<void> {
    this.#endsHearing();
    await removeCopy({ folder: this.#plan.folder, slot: this.#slot }, this.#isolation);
    this.#slot = 0;
    // A worktree has its branch before there is anything to keep.
    const { branch, base } = this.#plan;
    if (this.isolation === 'worktree' && this.#kept === undefined)
      await dropUnchanged(this.repository, { branch, base, commit: base });
  }

  async #setUp(command: string, signal: AbortSignal): Promise<void> {
    const { runInside } = await import('./run-inside.ts');
    const { exitCode, output } = await runInside(this, command, { env: this.#setupEnv, signal });
    if (exitCode === 0) return;
    if (exitCode === null) throw new Failure('cancelled', `--setup ${JSON.stringify(command)} was stopped`);
    throw new Failure(
      'config',
      `--setup ${JSON.stringify(command)} failed with exit code ${exitCode}: ${quotedEnd(output, 400, this.#setupEnv)}`,
    );
  }
}

/** Git never asks for a password. Garbage collection would rewrite what a worktree shares, and fill the layer of an overlay. */
const configInside = [
  ['credential.helper', ''],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
] as const;

/** Variables that would allow publishing, and those that point git at another repository, as they do inside a hook. */
const withheld = new Set([
  'SSH_AUTH_SOCK',
  'GIT_SSH',
  'GIT_SSH_COMMAND',
  'GITHUB_TOKEN',
  'GH_TOKEN',
  'GITLAB_TOKEN',
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_COMMON_DIR',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_NAMESPACE',
  'GIT_PREFIX',
  'GIT_QUARANTINE_PATH',
]);

/** Copies are never inside the checkout that they are copies of. */
function folderFor({ root }: Repository, env: Environment): string {
  const usual = copiesFolder(env);
  const folder = isInside(usual, root) ? otherCopiesFolder() : usual;
  if (!isOwn(folder))
    throw new Failure('config', `${folder} belongs to somebody else, so no private copy can be made there`);
  return folder;
}

/** A file that the copy must have, relative to the top. Throws an `input` failure where it does not exist or is outside the repository. */
export function insideOf({ root, below }: Repository, path: string): string {
  const whole = resolve(root, below, path);
  const inside = isAbsolute(path) ? undefined : pathInside(root, whole);
  if (inside === undefined) throw new Failure('input', `--copy ${path}: expected a file inside the repository`);
  if (!existsSync(whole)) throw new Failure('input', `--copy ${path}: there is no such file`);
  return inside;
}

/** Whether the working directory exists in the copy too. */
function existsInside(
  { kind, top }: Isolation,
  { folder, isCheckedOut, layers, root }: CopyPlan,
  below: string,
): boolean {
  if (below === '' || isCheckedOut) return true;
  if (kind !== 'overlay') return existsSync(join(top, below));
  const layer = layers.findIndex((path) => isInside(root, path));
  // A character device in the layer marks a deleted file.
  const change = lstatSync(join(folder, `upper-${layer}`, relative(layers[layer] ?? root, root), below), {
    throwIfNoEntry: false,
  });
  return change === undefined ? existsSync(join(root, below)) : change.isDirectory();
}

function shortName(): string {
  return Buffer.from(randomPart(6)).toString('hex');
}

function shortOf(folder: string): string {
  return folder.slice(-12);
}
