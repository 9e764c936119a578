import { childEnvironment } from '../../agents/environment.ts';
import type { Draft, EventOf } from '../../events/event.ts';
import { realpathSync, statfsSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { timeInWords } from '../../time/duration.ts';
import { Failure, messageOf, systemCode } from '../../failure.ts';
import { pathInside } from '../../files/inside.ts';
import type { ProcessEnd } from '../../pipeline/thread.ts';
import { isGone, thisProcess } from '../../processes/owner.ts';
import { patient } from '../../processes/patience.ts';
import { present } from '../../json/present.ts';
import { builtIn } from '../../words/vocabulary.ts';
import { branchName } from '../../workspace/branch-name.ts';
import { dropUnchanged } from '../../workspace/drop.ts';
import { type Kept, lostInWords } from '../../workspace/keep.ts';
import { Workspace } from '../../workspace/workspace.ts';
import type { RunSpec } from '../../contract/spec.ts';
import { type Chosen, type Chooser, chooseSource } from './choose.ts';
import type { Stop } from '../stop.ts';
import type { Attempt, Source } from './source.ts';

/** An agent that works in a private copy. */
export async function isolatedSource(
  spec: RunSpec,
  { copy, branch, ...ask }: NonNullable<RunSpec['workspace']>,
  chooser: Chooser,
): Promise<Chosen> {
  const workspace =
    chooser.shared.copy?.workspace ??
    (await Workspace.plan(
      {
        ...ask,
        copied: copy,
        setupEnv: childEnvironment(chooser.env, { pass: spec.pass_env, set: chooser.set }),
        branch: branch ?? branchName(chooser.run.id, 1, chooser.redact?.text(spec.prompt) ?? spec.prompt),
      },
      { cwd: spec.cwd, env: chooser.env, owners },
    ));
  const shared = (chooser.shared.copy ??= new SharedCopy(workspace));
  const chosen = await chooseSource({ ...spec, cwd: workspace.cwd }, { ...chooser, workspace });
  return {
    ...chosen,
    source: new IsolatedSource(chosen.source, shared, {
      agent: spec.agent,
      runId: chooser.run.id,
      mayLeaveNone: branch === undefined,
    }),
    warnings: [
      ...chosen.warnings,
      ...(workspace.remark === undefined ? [] : [workspace.remark]),
      ...elsewhere(spec, workspace),
    ],
  };
}

/** Some agents look up their sessions by working directory. */
function elsewhere({ resume, agent }: RunSpec, { isolation }: Workspace): string[] {
  if (resume === undefined || agent === builtIn || isolation === 'overlay') return [];
  return [
    `a ${isolation} is in a different folder, where ${agent} may not find the session ${resume}; --isolate overlay keeps the same path`,
  ];
}

/** Identifies the process that made a copy, and whether it is still there to remove it. */
export const owners = {
  self: thisProcess,
  isGone: (owner: unknown, heardAt: number): boolean =>
    typeof owner === 'object' &&
    owner !== null &&
    isGone({ owner: owner as ReturnType<typeof thisProcess>, heartbeat_at: heardAt }, Date.now()),
};

const keepGraceMs = patient(15_000);
/** A disk with less room than this took no more. */
const fullBelow = 1024 * 1024;

/** A private copy in which the agents of one run work, one after the other. */
export class SharedCopy {
  readonly workspace: Workspace;
  /** Files that were already reported, relative to the top. */
  readonly edited = new Set<string>();
  /** The top of the copy; an agent may also report the resolved path. */
  tops: readonly string[] = [];
  isMade = false;
  kept: Kept | undefined;
  /** False while it holds work that is not kept: then it must not be removed. */
  isKept = true;
  users = 0;

  constructor(workspace: Workspace) {
    this.workspace = workspace;
  }
}

/** The copy is made before the first attempt, its changes are kept after each, and it is removed at the end. */
class IsolatedSource implements Source {
  readonly #inner: Source;
  readonly #workspace: Workspace;
  readonly #who: { agent: string; runId: string };
  /** The branch was not asked for by name, so one without changes may be dropped. */
  readonly #mayLeaveNone: boolean;
  readonly #copy: SharedCopy;
  #strayed: string | undefined;
  /** Paths in the checkout of changes that git found in the copy. */
  readonly #unreported = new Set<string>();

  constructor(
    inner: Source,
    copy: SharedCopy,
    { mayLeaveNone, ...who }: { agent: string; runId: string; mayLeaveNone: boolean },
  ) {
    this.#inner = inner;
    this.#copy = copy;
    copy.users += 1;
    this.#workspace = copy.workspace;
    this.#who = who;
    this.#mayLeaveNone = mayLeaveNone;
  }

  get dialect(): string {
    return this.#inner.dialect;
  }

  get canResume(): boolean {
    return this.#inner.canResume;
  }

  lift(limits: Parameters<NonNullable<Source['lift']>>[0]): void {
    this.#inner.lift?.(limits);
  }

  get workspace(): Workspace | undefined {
    return this.#copy.isMade ? this.#workspace : undefined;
  }

  get strayed(): string | undefined {
    return this.#strayed;
  }

  async produce(attempt: Attempt): Promise<ProcessEnd | undefined> {
    const { stop } = attempt;
    const { base, branch, top } = this.#workspace;
    if (!this.#copy.isMade) {
      attempt.emit({
        type: 'branch.updated',
        branch_id: base.branchId || base.commit,
        is_start: true,
        commit: base.commit,
      });
      attempt.emit(this.#branchEvent(branch));
      this.#copy.isMade = true;
      await this.#workspace.create(stop.signal);
    }
    this.#copy.isKept = false;
    this.#copy.tops = [top, realpathSync(top)];
    const [ended] = await Promise.allSettled([this.#inner.produce(attempt)]);
    attempt.exited();
    const kept = await this.#keep(stop);
    for (const draft of this.#untold(kept)) attempt.emit(draft);
    // It may have been kept under another name.
    attempt.emit({ ...this.#branchEvent(kept.branch), commit: kept.commit, files: kept.changes.length });
    if (ended.status === 'rejected') throw ended.reason;
    // Work that is not on the branch is not done.
    if (kept.lost.length > 0) throw new Failure('config', `${lostInWords(kept)}; ${this.#stillThere}`);
    return ended.value;
  }

  /** By the time anybody reads about its files, a copy is gone: they are reported by their paths in the checkout. */
  correct(reported: Draft): Draft {
    const draft = this.#inner.correct?.(reported) ?? reported;
    if (draft.type === 'thread.started' && draft.cwd !== undefined)
      return { ...draft, cwd: this.#inCheckout(draft.cwd) };
    if (draft.type !== 'file.edited') return draft;
    const below = this.#insideCopy(draft.path);
    if (below !== undefined) this.#copy.edited.add(below);
    else if (!this.#unreported.has(draft.path)) this.#strayed ??= draft.path;
    return { ...draft, path: this.#inCheckout(draft.path) };
  }

  #insideCopy(path: string): string | undefined {
    const whole = resolve(this.#workspace.cwd, path);
    return this.#copy.tops.map((top) => pathInside(top, whole)).find((below) => below !== undefined);
  }

  #inCheckout(path: string): string {
    const below = this.#insideCopy(path);
    return isAbsolute(path) && below !== undefined ? join(this.#workspace.repository.root, below) : path;
  }

  /** Changes that git found and the agent did not report. */
  #untold({ changes, notes }: Kept): Draft[] {
    const { root } = this.#workspace.repository;
    const silent = changes.filter(({ path }) => !this.#copy.edited.has(path));
    for (const { path } of silent) {
      this.#copy.edited.add(path);
      this.#unreported.add(join(root, path));
    }
    return [
      ...notes.map((text): Draft => ({ type: 'log', stream: 'agent', level: 'warning', text })),
      ...silent.map(({ path, operation, additions, deletions }): Draft => ({
        type: 'file.edited',
        path: join(root, path),
        operation,
        ...present({ additions, deletions }),
      })),
    ];
  }

  async close(): Promise<void> {
    await this.#inner.close?.();
    this.#copy.users -= 1;
    if (this.#copy.users > 0) return;
    if (!this.#copy.isMade || !this.#copy.isKept) return;
    await this.#workspace.remove();
    if (this.#mayLeaveNone && this.#copy.kept !== undefined)
      await dropUnchanged(this.#workspace.repository, this.#copy.kept);
  }

  get #stillThere(): string {
    return `its copy is still in ${this.#workspace.folder}: see "runwire orchestrate clean"`;
  }

  #branchEvent(branch_id: string): EventOf<'branch.updated'> {
    const { base, isolation } = this.#workspace;
    const { agent, runId: run_id } = this.#who;
    return {
      type: 'branch.updated',
      branch_id,
      parent_branch_id: base.branchId || base.commit,
      agent,
      run_id,
      isolation,
    };
  }

  /** Once the run is told to stop, there is only so much time for it. */
  async #keep(stop: Stop): Promise<Kept> {
    const time = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const onStop = (): void => void (timer ??= setTimeout(() => time.abort(), keepGraceMs));
    if (stop.ends.aborted) onStop();
    stop.ends.addEventListener('abort', onStop, { once: true });
    try {
      const kept = await this.#workspace.keep(time.signal);
      this.#copy.isKept = kept.lost.length === 0;
      this.#copy.kept = kept;
      return kept;
    } catch (error) {
      if (!(error instanceof Failure) && systemCode(error) === undefined) throw error;
      const isLate = time.signal.aborted;
      const why = isLate
        ? ` within ${timeInWords(keepGraceMs)}`
        : `: ${messageOf(error)}${spaceIn(this.#workspace.folder)}`;
      const code = isLate && stop.cause?.kind === 'signal' ? 'cancelled' : 'config';
      throw new Failure(code, `the work could not be kept${why}; ${this.#stillThere}`, { cause: error });
    } finally {
      clearTimeout(timer);
      stop.ends.removeEventListener('abort', onStop);
    }
  }
}

/** What a shell says of a full disk does not name it. */
function spaceIn(folder: string): string {
  try {
    const { bavail, bsize, files, ffree } = statfsSync(folder);
    return bavail * bsize < fullBelow || (files > 0 && ffree === 0) ? ' (no space left on device)' : '';
  } catch {
    return '';
  }
}
