import type { Draft } from '../../events/event.ts';
import { Failure } from '../../failure.ts';
import type { ProcessEnd } from '../../pipeline/thread.ts';
import { isGone, thisProcess } from '../../stores/owner.ts';
import { present } from '../../present.ts';
import { branchName } from '../../workspace/branch-name.ts';
import { type Kept, Workspace } from '../../workspace/workspace.ts';
import type { RunSpec } from '../spec.ts';
import { type Chosen, type Chooser, chooseSource } from './choose.ts';
import type { Attempt, Source } from './source.ts';

/** An agent that works in a private copy. */
export async function isolatedSource(
  spec: RunSpec,
  { copy, branch, ...ask }: NonNullable<RunSpec['workspace']>,
  { runId, ...chooser }: Chooser & { runId: string },
): Promise<Chosen> {
  const workspace = await Workspace.plan(
    { ...ask, copied: copy, branch: branch ?? branchName(runId, 1, spec.prompt) },
    { cwd: spec.cwd, env: chooser.env, owners },
  );
  const chosen = await chooseSource({ ...spec, cwd: workspace.cwd }, { ...chooser, workspace });
  return {
    ...chosen,
    source: new IsolatedSource(chosen.source, workspace, { agent: spec.agent, runId }),
    warnings: [...chosen.warnings, ...(workspace.remark === undefined ? [] : [workspace.remark])],
  };
}

/** Who made a copy, and whether it can still be told to remove it. */
export const owners = {
  self: thisProcess,
  isGone: (owner: unknown, heardAt: number): boolean =>
    typeof owner === 'object' &&
    owner !== null &&
    isGone({ owner: owner as ReturnType<typeof thisProcess>, heartbeat_at: heardAt }, Date.now()),
};

/** The copy is made before the first attempt, what is left in it is kept after each, and in the end it is gone. */
class IsolatedSource implements Source {
  readonly #inner: Source;
  readonly #workspace: Workspace;
  readonly #who: { agent: string; runId: string };
  #isMade = false;
  /** What could not be kept must not be removed. */
  #isKept = true;

  constructor(inner: Source, workspace: Workspace, who: { agent: string; runId: string }) {
    this.#inner = inner;
    this.#workspace = workspace;
    this.#who = who;
  }

  get dialect(): string {
    return this.#inner.dialect;
  }

  get canResume(): boolean {
    return this.#inner.canResume;
  }

  async produce(attempt: Attempt): Promise<ProcessEnd | undefined> {
    const { out, stop } = attempt;
    const { base, branch } = this.#workspace;
    const parent = base.branchId === '' ? {} : { parent_branch_id: base.branchId };
    if (!this.#isMade) {
      out.emit({ type: 'branch.updated', branch_id: base.branchId || base.commit, is_start: true, commit: base.commit });
      out.emit({
        type: 'branch.updated',
        branch_id: branch,
        ...parent,
        agent: this.#who.agent,
        run_id: this.#who.runId,
        status: 'running',
      });
      this.#isMade = true;
      await this.#workspace.create(stop.signal);
    }
    this.#isKept = false;
    try {
      return await this.#inner.produce(attempt);
    } finally {
      for (const draft of told(await this.#keep())) out.emit(draft);
    }
  }

  async close(): Promise<void> {
    await this.#inner.close?.();
    if (this.#isMade && this.#isKept) await this.#workspace.remove();
  }

  async #keep(): Promise<Kept> {
    try {
      const kept = await this.#workspace.keep();
      this.#isKept = true;
      return kept;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      throw new Failure(error.code, `${error.message}; its copy is still there: see "runwire orchestrate clean"`, { cause: error });
    }
  }
}

/** What git says was done, whatever the agent said of it. */
function told({ branch, commit, changes, notes }: Kept): Draft[] {
  return [
    ...notes.map((text): Draft => ({ type: 'log', stream: 'agent', level: 'warning', text })),
    ...changes.map(({ path, operation, additions, deletions }): Draft => ({
      type: 'file.edited',
      path,
      operation,
      ...present({ additions, deletions }),
    })),
    { type: 'branch.updated', branch_id: branch, commit, files: changes.length },
  ];
}
