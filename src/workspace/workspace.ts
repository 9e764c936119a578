import { existsSync, lstatSync, mkdirSync } from 'node:fs';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { Failure } from '../failure.ts';
import { isInside, pathInside } from '../inside.ts';
import { randomPart } from '../new-id.ts';
import { readRepositoryFile } from '../repository-file.ts';
import type { Dirty, Environment, IsolationKind } from '../vocabulary.ts';
import { quotedEnd } from '../redact/quoted.ts';
import { type Base, findBase } from './base.ts';
import { flatName, freeName } from './branch-name.ts';
import { Clone } from './clone.ts';
import { copiesFolder, type CopyNote, isOwn, keepHeard, noteOf, otherCopiesFolder, type Owners, removeCopy, writeNote } from './copies.ts';
import { dropUnchanged } from './drop.ts';
import { noHooks, withConfig } from './git.ts';
import type { CopyPlan, Isolation, Means, Order } from './isolation.ts';
import { type Kept, keepWork } from './keep.ts';
import { addressSettings, isAddress, localRemotes } from './local-remotes.ts';
import { layersOver, Overlay, whyNoLayers, whyNoOverlay } from './overlay.ts';
import { askRepository, type Repository } from './repository.ts';
import { slotFile, slotVariables, takeSlot } from './slots.ts';
import { Worktree } from './worktree.ts';

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
  static async plan(ask: WorkspaceAsk, { cwd, env, owners }: { cwd: string; env: Environment; owners: Owners }): Promise<Workspace> {
    const { repository, answer } = await askRepository(cwd, env, namesScript, namesLike(ask.branch));
    const { branch, addresses, hooks, settings } = namesIn(answer, ask.branch);
    const { root, gitDir, commonDir } = repository;
    const copies = folderFor(repository, env);
    const folder = join(copies, shortName());
    const copied = ask.copied.map((path) => insideOf(repository, path));
    const [base, whyNot] = await Promise.all([
      findBase(repository, { ...ask, folder, isElsewhere: !mayBeOverlay(ask) }),
      mayBeOverlay(ask) ? tryOverlay(copies) : undefined,
    ]);
    // A layer over the folder that holds the layers would cover itself.
    const remotes = (): string[] => localRemotes(repository, addresses).filter((path) => !isInside(root, path) && !isInside(copies, path));
    const layers = mayBeOverlay(ask) && whyNot === undefined ? layersOver([root, commonDir, gitDir, ...remotes()]) : [];
    const { kind, remarks } = chooseIsolation(ask.isolate, whyNot ?? whyNoLayers(layers, commonDir));
    const { commit, isCheckedOut, isSnapshot } = base;
    const plan: CopyPlan = { root, gitDir, commonDir, folder, branch, base: commit, isCheckedOut, isSnapshot, copied, layers, settings };
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
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const owner = this.#owners.self();
    const isFree = (holder: string, heardAt: number): boolean => this.#owners.isGone(parsed(holder), heardAt);
    this.#slot = takeSlot(this.#copies, isFree, JSON.stringify(owner));
    const note: CopyNote = { plan: this.#plan, kind: this.isolation, slot: this.#slot, owner, made_at: Date.now(), is_ready: false };
    writeNote(note);
    this.#endsHearing = keepHeard([noteOf(folder), slotFile(this.#copies, this.#slot)]);
    await this.#isolation.create(signal);
    if (!existsInside(this.#isolation, this.#plan, this.repository.below))
      throw new Failure('input', `the folder ${this.repository.below} is not in ${this.base.branchId}: name another one with --cwd`);
    if (this.#setup !== undefined) await this.#setUp(this.#setup, signal);
    if (!this.#isDisposable) writeNote({ ...note, is_ready: true });
  }

  /** The same command inside, with the variables of this copy. */
  inside({ env, ...order }: Order): Order {
    const rest = Object.fromEntries(Object.entries(env).filter(([name]) => !withheld.has(name)));
    const config = withConfig(rest, configInside);
    return this.#isolation.inside({ ...order, env: { ...rest, ...this.variables, ...config } });
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
    if (this.isolation === 'worktree' && this.#kept === undefined) await dropUnchanged(this.repository, { branch, base, commit: base });
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

export function isolationOf(kind: IsolationKind, plan: CopyPlan, means: Means): Isolation {
  switch (kind) {
    case 'overlay':
      return new Overlay(plan, means);
    case 'clone':
      return new Clone(plan, means);
    case 'worktree':
      return new Worktree(plan, means);
  }
}

/** Copies are never inside the checkout that they are copies of. */
function folderFor({ root }: Repository, env: Environment): string {
  const usual = copiesFolder(env);
  const folder = isInside(usual, root) ? otherCopiesFolder() : usual;
  if (!isOwn(folder)) throw new Failure('config', `${folder} belongs to somebody else, so no private copy can be made there`);
  return folder;
}

const tried = new Map<string, Promise<string | undefined>>();

/** Found out once, by trying. */
function tryOverlay(copies: string): Promise<string | undefined> {
  const trial = tried.get(copies) ?? whyNoOverlay(join(copies, `try-${shortName()}`));
  tried.set(copies, trial);
  return trial;
}

function mayBeOverlay({ isolate }: WorkspaceAsk): boolean {
  return isolate === 'auto' || isolate === 'overlay';
}

function chooseIsolation(asked: WorkspaceAsk['isolate'], whyNot: string | undefined): { kind: IsolationKind; remarks: string[] } {
  if (asked === 'clone' || asked === 'worktree') return { kind: asked, remarks: [] };
  if (whyNot === undefined) return { kind: 'overlay', remarks: [] };
  if (asked === 'overlay') throw new Failure('config', `--isolate overlay is not possible here: ${whyNot}; try --isolate clone`);
  return { kind: 'clone', remarks: [`no overlay is possible here (${whyNot}): a clone is used, without the files that git ignores`] };
}

interface Names {
  /** A free branch name. */
  branch: string;
  /** Settings with addresses of remotes. */
  addresses: CopyPlan['settings'];
  /** Where the user has hooks, if not in the usual folder. */
  hooks: string | undefined;
  /** Those that matter for keeping work: they are taken from here, since a worktree shares its config with its agent. */
  settings: CopyPlan['settings'];
}

/** Git patterns for branches that could conflict with a name. */
function namesLike(wanted: string): string[] {
  const [first = ''] = wanted.split('/');
  return [`refs/heads/${first}`, `refs/heads/${flatName(wanted)}*`];
}

function namesIn(listed: string, wanted: string): Names {
  const [names = '', config = ''] = listed.split('\n\n\n');
  const entries = config.split('\0').map((entry) => [entry.slice(0, entry.indexOf('\n')), entry.slice(entry.indexOf('\n') + 1)] as const);
  const addresses = entries.filter(([key]) => isAddress(key));
  // Our own setting is among them.
  const hooks = entries.findLast(([key, value]) => key === 'core.hookspath' && value !== noHooks)?.[1];
  const settings = entries.filter(([key]) => key !== '' && key !== 'core.hookspath' && !isAddress(key));
  return { branch: freeName(wanted, names.split('\n')), addresses, hooks, settings };
}

/** What git does with files, and who commits; nothing that names a program but filters, which are only run where the work is confined. */
const settingsKept = [
  'core\\.(filemode|ignorecase|symlinks|precomposeunicode|autocrlf|eol|sparsecheckout|sparsecheckoutcone|bigfilethreshold|longpaths|excludesfile|attributesfile)',
  'extensions\\.(objectformat|refstorage)',
  '(user|author|committer)\\.(name|email)',
  'i18n\\.commitencoding',
  'filter\\..*\\.(clean|process|required)',
];

const namesScript = `
git for-each-ref --format='%(refname:strip=2)' "$@"
printf '\\n\\n\\n'
git config -z --get-regexp '^(${addressSettings}|core\\.hookspath)$' || :
for scope in local worktree; do git config -z --$scope --includes --get-regexp '^(${settingsKept.join('|')})$' 2>/dev/null || :; done
`;

/** A free branch name, as close to the wanted one as possible. */
export async function freeBranch({ git }: Pick<Repository, 'git'>, wanted: string): Promise<string> {
  return namesIn(await git.script(namesScript, namesLike(wanted)), wanted).branch;
}

/** A file that the copy must have, relative to the top. Throws an `input` failure where it does not exist or is outside the repository. */
export function insideOf({ root, below }: Repository, path: string): string {
  const whole = resolve(root, below, path);
  const inside = isAbsolute(path) ? undefined : pathInside(root, whole);
  if (inside === undefined) throw new Failure('input', `--copy ${path}: expected a file inside the repository`);
  if (!existsSync(whole)) throw new Failure('input', `--copy ${path}: there is no such file`);
  return inside;
}

const mostAttributes = 1024 * 1024;

/** What a separate checkout lacks. */
function missingIn(root: string): string[] {
  const attributes = attributesOf(root);
  return [
    ...(existsSync(join(root, '.gitmodules')) ? ['the copy has no submodules: --setup "git submodule update --init" fetches them'] : []),
    ...(/\bfilter=lfs\b/.test(attributes) ? ['the copy has only pointers for Git LFS files: --setup "git lfs pull" fetches them'] : []),
  ];
}

/** Hooks in an untracked folder that a tool has made would silently be missing from a separate checkout. */
async function missingHooks({ git }: Repository, commit: string, hooks: string | undefined): Promise<string[]> {
  if (hooks === undefined || isAbsolute(hooks) || hooks.startsWith('~')) return [];
  const isThere = (await git.try(['ls-tree', '--name-only', commit, '--', hooks])) !== '';
  return isThere ? [] : [`the copy has no hooks: ${hooks} is not tracked by git; create it with --setup`];
}

/** Read as git itself does: never through a link. */
function attributesOf(root: string): string {
  try {
    return readRepositoryFile(join(root, '.gitattributes'), { root, maxBytes: mostAttributes })?.text ?? '';
  } catch {
    return '';
  }
}

/** Whether the working directory exists in the copy too. */
function existsInside({ kind, top }: Isolation, { folder, isCheckedOut, layers, root }: CopyPlan, below: string): boolean {
  if (below === '' || isCheckedOut) return true;
  if (kind !== 'overlay') return existsSync(join(top, below));
  const layer = layers.findIndex((path) => isInside(root, path));
  // A character device in the layer marks a deleted file.
  const change = lstatSync(join(folder, `upper-${layer}`, relative(layers[layer] ?? root, root), below), { throwIfNoEntry: false });
  return change === undefined ? existsSync(join(root, below)) : change.isDirectory();
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
