import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { Failure } from '../failure.ts';
import { randomPart } from '../new-id.ts';
import type { Dirty, Environment, IsolationKind } from '../vocabulary.ts';
import { stateFolder } from '../xdg.ts';
import { type Base, commitTree, findBase } from './base.ts';
import { type Changes, changesBetween } from './changes.ts';
import { Clone, remotesOf } from './clone.ts';
import type { CopyPlan, Isolation, Means, Order } from './isolation.ts';
import { isInside, Overlay, whyNoOverlay } from './overlay.ts';
import { openRepository, type Repository } from './repository.ts';
import { freeSlot, slotVariables, takeSlot } from './slots.ts';
import { Worktree } from './worktree.ts';

export interface WorkspaceAsk {
  isolate: 'auto' | IsolationKind;
  /** The branch or commit to start from; unset: what is checked out. */
  from?: string | undefined;
  dirty: Dirty;
  /** The branch that the work is kept on. */
  branch: string;
  /** Files that git does not know, seen from the top of the checkout. */
  copied: readonly string[];
  /** A command that makes the copy ready. */
  setup?: string | undefined;
}

/** What work in a copy came to. */
export interface Kept extends Changes {
  branch: string;
  base: string;
  commit: string;
  notes: string[];
}

/** Where all copies of this user are. */
export function copiesFolder(env: Environment): string {
  return join(stateFolder(env), 'copies');
}

/** What is written down of a copy, so that a crash leaves nothing that nobody knows of. */
export interface CopyNote {
  plan: CopyPlan;
  kind: IsolationKind;
  slot: number;
  owner: unknown;
  made_at: number;
}

/** Answers whether whoever holds something is gone for good. */
export interface Owners {
  self(): unknown;
  isGone(owner: unknown): boolean;
}

/** A private copy of a checkout for one piece of work, whose effect is kept as a branch. */
export class Workspace {
  readonly repository: Repository;
  readonly base: Base;
  /** Why it is not the isolation that `auto` would like best. */
  readonly remark: string | undefined;
  readonly #plan: CopyPlan;
  readonly #isolation: Isolation;
  readonly #note: string;
  readonly #slots: string;
  readonly #setup: string | undefined;
  readonly #env: Environment;
  readonly #owners: Owners;
  #slot = 0;
  #kept: Kept | undefined;

  private constructor(parts: {
    repository: Repository;
    base: Base;
    plan: CopyPlan;
    isolation: Isolation;
    remark: string | undefined;
    setup: string | undefined;
    env: Environment;
    owners: Owners;
    copies: string;
  }) {
    const { repository, base, plan, isolation, remark, setup, env, owners, copies } = parts;
    this.repository = repository;
    this.base = base;
    this.remark = remark;
    this.#plan = plan;
    this.#isolation = isolation;
    this.#note = noteOf(plan.folder);
    this.#slots = copies;
    this.#setup = setup;
    this.#env = env;
    this.#owners = owners;
  }

  /** Everything is decided and nothing is made. Throws an `input` failure when there can be no copy. */
  static async plan(ask: WorkspaceAsk, { cwd, env, owners }: { cwd: string; env: Environment; owners: Owners }): Promise<Workspace> {
    const repository = await openRepository(cwd, env);
    const base = await findBase(repository, ask);
    const copies = folderFor(repository, env);
    const { kind, remark } = await chooseIsolation(ask.isolate, copies, env);
    const plan: CopyPlan = {
      root: repository.root,
      gitDir: repository.gitDir,
      commonDir: repository.commonDir,
      folder: join(copies, shortName()),
      branch: await freeBranch(repository, ask.branch),
      base: base.commit,
      isCheckedOut: base.isCheckedOut,
      isSnapshot: base.isSnapshot,
      copied: ask.copied.map((path) => insideOf(repository, path)),
    };
    const isolation = isolationOf(kind, plan, { git: repository.git, env }, kind === 'overlay' ? await localRemotes(repository) : []);
    return new Workspace({ repository, base, plan, isolation, remark, setup: ask.setup, env, owners, copies });
  }

  get isolation(): IsolationKind {
    return this.#isolation.kind;
  }

  get branch(): string {
    return this.#plan.branch;
  }

  /** Where its work is done: the folder that was asked about, in the copy. */
  get cwd(): string {
    return join(this.#isolation.top, this.repository.below);
  }

  async create(signal: AbortSignal): Promise<void> {
    mkdirSync(this.#plan.folder, { recursive: true, mode: 0o700 });
    const owner = this.#owners.self();
    this.#slot = takeSlot(this.#slots, (holder) => this.#owners.isGone(parsed(holder)), JSON.stringify(owner));
    const note: CopyNote = { plan: this.#plan, kind: this.isolation, slot: this.#slot, owner, made_at: Date.now() };
    writeWhole(this.#note, JSON.stringify(note));
    await this.#isolation.create(signal);
    if (this.#setup !== undefined) await this.#setUp(this.#setup, signal);
  }

  /** The same command inside, with the variables of this copy. */
  inside({ env, ...order }: Order): Order {
    const rest = Object.fromEntries(Object.entries(env).filter(([name]) => !pushVariables.has(name)));
    return this.#isolation.inside({ ...order, env: { ...rest, ...this.variables } });
  }

  get variables(): Record<string, string> {
    return {
      ...slotVariables(this.#slot, shortOf(this.#plan.folder)),
      GIT_TERMINAL_PROMPT: '0',
      GIT_ASKPASS: '',
      SSH_ASKPASS: '',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'credential.helper',
      GIT_CONFIG_VALUE_0: '',
    };
  }

  /** All that the work left, untracked files too, as a commit on its branch. May be called again when more was done. */
  async keep(): Promise<Kept> {
    const { git } = this.repository;
    const found = await keepWork(this.#plan, this.#isolation, git, this.#kept?.commit);
    this.#kept = { branch: this.branch, base: this.#plan.base, ...found, ...(await changesBetween(git, this.#plan.base, found.commit)) };
    return this.#kept;
  }

  async remove(): Promise<void> {
    await this.#isolation.remove();
    rmSync(this.#note, { force: true });
    if (this.#slot > 0) freeSlot(this.#slots, this.#slot);
  }

  async #setUp(command: string, signal: AbortSignal): Promise<void> {
    const { runInside } = await import('./run-inside.ts');
    const { exitCode, output } = await runInside(this, command, { env: this.#env, signal });
    if (exitCode === 0) return;
    throw new Failure('config', `--setup ${JSON.stringify(command)} failed with exit code ${exitCode}: ${output.trim().slice(-400)}`);
  }
}

/** Variables with which one could publish. */
const pushVariables = new Set(['SSH_AUTH_SOCK', 'GIT_SSH', 'GIT_SSH_COMMAND', 'GITHUB_TOKEN', 'GH_TOKEN', 'GITLAB_TOKEN']);

export function noteOf(folder: string): string {
  return `${folder}.json`;
}

/** The commit of what a copy holds, on its branch. */
export async function keepWork(
  plan: CopyPlan,
  isolation: Isolation,
  git: Repository['git'],
  before: string | undefined,
): Promise<{ commit: string; notes: string[] }> {
  const lines = (await isolation.look()).split('\n');
  const said = (word: string): string[] => lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : []));
  const [head = plan.base] = said('head');
  const [tree] = said('tree');
  if (tree === undefined) throw new Failure('config', 'what the work left could not be read');
  const current = await git.text(['rev-parse', `${head}^{tree}`]);
  const commit = current === tree ? head : await commitTree(git, tree, [head], 'Work that was left uncommitted');
  const old = before ?? (await git.try(['rev-parse', '-q', '--verify', `refs/heads/${plan.branch}`])) ?? '';
  await git.text(['update-ref', '-m', 'runwire: keep', `refs/heads/${plan.branch}`, commit, old]);
  const notes = said('note');
  for (const also of said('also')) {
    const [id = '', name = ''] = also.split(' ');
    const branch = `${plan.branch}-also/${name.replace(/^refs\/(?:heads\/)?/, '')}`;
    await git.ask(['update-ref', '-m', 'runwire: keep', `refs/heads/${branch}`, id]);
    notes.push(`${name === 'refs/stash' ? 'stashed work' : `the branch ${name.slice('refs/heads/'.length)}`} is kept as ${branch}`);
  }
  return { commit, notes };
}

export function isolationOf(kind: IsolationKind, plan: CopyPlan, means: Means, remotes: readonly string[] = []): Isolation {
  switch (kind) {
    case 'overlay':
      return new Overlay(plan, means, remotes);
    case 'clone':
      return new Clone(plan, means);
    case 'worktree':
      return new Worktree(plan, means);
  }
}

/** Copies are never inside the checkout that they are copies of. */
function folderFor({ root }: Repository, env: Environment): string {
  const usual = copiesFolder(env);
  return isInside(usual, root) ? join(tmpdir(), `runwire-copies-${process.geteuid?.() ?? 0}`) : usual;
}

const tried = new Map<string, Promise<string | undefined>>();

async function chooseIsolation(
  asked: WorkspaceAsk['isolate'],
  copies: string,
  env: Environment,
): Promise<{ kind: IsolationKind; remark: string | undefined }> {
  if (asked === 'clone' || asked === 'worktree') return { kind: asked, remark: undefined };
  const trial = tried.get(copies) ?? whyNoOverlay(join(copies, `try-${shortName()}`), env);
  tried.set(copies, trial);
  const why = await trial;
  if (why === undefined) return { kind: 'overlay', remark: undefined };
  if (asked === 'overlay') throw new Failure('config', `--isolate overlay is not possible here: ${why}; try --isolate clone`);
  return { kind: 'clone', remark: `no overlay is possible here (${why}): a clone is used, without files that git ignores` };
}

/** A branch that is there, or a branch whose name is a folder of this one, would be in the way. */
export async function freeBranch({ git }: Pick<Repository, 'git'>, wanted: string): Promise<string> {
  const taken = async (name: string): Promise<boolean> =>
    (await git.try(['rev-parse', '-q', '--verify', `refs/heads/${name}`])) !== undefined;
  const parts = wanted.split('/');
  for (let length = 1; length < parts.length; length += 1)
    if (await taken(parts.slice(0, length).join('/'))) return freeBranch({ git }, `runwire-work/${parts.slice(1).join('-')}`);
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    if (!(await taken(name))) return name;
  }
}

function insideOf({ root, below }: Repository, path: string): string {
  const whole = resolve(root, below, path);
  if (isAbsolute(path) || !isInside(whole, root)) throw new Failure('input', `--copy ${path}: expected a file inside the repository`);
  if (!existsSync(whole)) throw new Failure('input', `--copy ${path}: there is no such file`);
  return relative(root, whole);
}

/** Remotes that are folders of this machine. */
async function localRemotes({ git, root }: Repository): Promise<string[]> {
  const paths = (await remotesOf(git)).map(([, url]) => resolve(root, url.replace(/^file:\/\//, '')));
  return paths.filter((path) => existsSync(path) && !isInside(root, path));
}

function shortName(): string {
  return Buffer.from(randomPart(6)).toString('hex');
}

function shortOf(folder: string): string {
  return folder.slice(-12);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A crash leaves the whole text, or none. */
function writeWhole(path: string, text: string): void {
  writeFileSync(`${path}.new`, text, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

export function readNote(path: string): CopyNote | undefined {
  const note = parsed(readFileSync(path, 'utf8'));
  return typeof note === 'object' && note !== null && 'plan' in note ? (note as CopyNote) : undefined;
}
