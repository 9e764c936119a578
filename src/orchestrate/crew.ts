import { limitsOfEach } from '../contract/limits-left.ts';
import type { Draft } from '../events/event.ts';
import { Failure, messageOf } from '../failure.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { treeUsage } from '../outcome/tree-usage.ts';
import { present } from '../json/present.ts';
import { specOf } from '../run/ask.ts';
import type { Run } from '../run/handle.ts';
import { start } from '../run/run.ts';
import type { Sink } from '../run/sinks/sink.ts';
import { builtIn } from '../words/vocabulary.ts';
import { branchName } from '../workspace/branch-name.ts';
import { type Changes, changesBetween } from '../workspace/changes.ts';
import { dropUnchanged } from '../workspace/drop.ts';
import { commitOf } from '../workspace/repository.ts';
import { freeBranch } from '../workspace/names.ts';
import { type Facts, factsOf } from './facts.ts';
import { Gate } from './gate.ts';
import type { Progress } from './progress.ts';
import type { AgentChoice, Settings } from './settings.ts';
import { remarksOf } from './words.ts';
import { type Verification, Verifier } from './verifier.ts';

/** What is known about a branch of work. */
export interface Branch {
  id: string;
  parentId: string;
  /** The commit that it started from. */
  base: string;
  /** The other branches in a merge. */
  mergedIds?: readonly string[];
  /** Its current commit; unset: its work is in progress or failed. */
  commit?: string;
  agent?: string;
  model?: string | undefined;
  run?: Run;
  outcome?: RunOutcome;
  changes?: Changes;
  facts?: Facts;
  /** By the verify command of the whole orchestration, if there is one. */
  verification?: Verification;
  /** Why there was no work, or no verification. */
  problem?: string;
  /** How long the agent and its copy took. */
  workMs?: number;
  /** What its agent is doing; only of work that nobody waits for. */
  progress?: Progress;
}

export interface Work extends AgentChoice {
  prompt: string;
  /** A branch or commit; unset: where the orchestration started. */
  parentId?: string | undefined;
  phase?: string | undefined;
  /** The deadline. */
  endsAt?: number | undefined;
}

/** Where work is reported while it is in progress. */
export interface Telling {
  itemId: string;
  signal: AbortSignal;
  emit(draft: Draft): void;
}

/** Agents at work under one run, each on its own branch in a private copy. */
export class Crew {
  readonly settings: Settings;
  /** The run that all work is part of: its budget, its signals and its ledger apply. */
  readonly run: Run;
  readonly branches = new Map<string, Branch>();
  readonly verifier: Verifier;
  readonly #gate: Gate;
  #count = 0;
  #naming = Promise.resolve('');

  constructor(settings: Settings, run: Run) {
    this.settings = settings;
    this.run = run;
    this.verifier = new Verifier(settings);
    this.#gate = new Gate(settings.concurrency);
  }

  /** One of our branches, by its name, the last part of the name, or its number. */
  find(id: string): Branch | undefined {
    return (
      this.branches.get(id) ??
      [...this.branches.values()].find((branch) =>
        [lastPart(branch.id), lastPart(branch.id).split('-')[0]].includes(id),
      )
    );
  }

  /** The commit of one of our branches, or of any name that git knows. */
  async commitOf(id: string): Promise<string> {
    const branch = this.find(id);
    if (branch?.commit !== undefined) return branch.commit;
    if (branch !== undefined)
      throw new Failure('input', `the branch ${id} has no commit: ${branch.problem ?? 'its work is under way'}`);
    return commitOf(this.settings.repository, id);
  }

  /** One at a time, so that branches are reported in the order requested. A name may be pushed, so it must not contain a secret. */
  newBranchName(about: string): Promise<string> {
    const { repository, clean } = this.settings;
    this.#count += 1;
    const wanted = branchName(this.run.id, this.#count, clean(about));
    this.#naming = this.#naming.catch(() => '').then(() => freeBranch(repository, wanted));
    return this.#naming;
  }

  /** Takes over a branch of an earlier start; new ones are numbered after it. */
  adopt(branch: Branch): void {
    this.branches.set(branch.id, branch);
    this.#count = Math.max(this.#count, Number.parseInt(lastPart(branch.id), 10) || 0);
  }

  /** Gives work to an agent: waits for a free slot, for its end and for its verification. Never throws when the work fails. */
  async execute(work: Work, telling: Telling): Promise<Branch> {
    return this.carryOut(await this.branchFor(work), work, telling);
  }

  /** The branch that the work will be on. */
  async branchFor({ parentId, prompt, agent, model }: Work): Promise<Branch> {
    const { base } = this.settings;
    const branch: Branch = {
      id: await this.newBranchName(prompt),
      parentId: parentId === undefined ? base.branchId : (this.find(parentId)?.id ?? parentId),
      base: base.commit,
      agent,
      model,
    };
    this.branches.set(branch.id, branch);
    return branch;
  }

  async carryOut(branch: Branch, work: Work, telling: Telling): Promise<Branch> {
    const { base } = this.settings;
    try {
      // A branch may move while others work; the commit that it points to now does not.
      branch.base = branch.parentId === base.branchId ? base.commit : await this.commitOf(branch.parentId);
      telling.emit({
        type: 'branch.updated',
        branch_id: branch.id,
        parent_branch_id: branch.parentId,
        agent: work.agent,
        status: 'running',
        item_id: telling.itemId,
      });
      await this.#gate.through(() => this.#work(branch, work, telling));
      await this.verify(branch, this.settings.verify, {
        ...telling,
        signal: until(work.endsAt, telling.signal, this.settings.clock),
      });
    } catch (error) {
      branch.problem = messageOf(error);
    }
    this.tell(branch, telling);
    return branch;
  }

  async #work(branch: Branch, work: Work, { signal, itemId }: Telling): Promise<void> {
    if (signal.aborted) throw new Failure('cancelled', 'stopped before it began');
    const run = start(this.#specOf(branch, work), {
      env: this.settings.env,
      variables: this.settings.variables,
      parent: this.run,
      parentItem: itemId,
      keepsRecords: false,
      ...present({ sinks: sinksOf(branch.progress) }),
      ledger: this.settings.ledger,
      report: this.settings.report,
      warn: this.settings.warn,
      clock: this.settings.clock,
    });
    branch.run = run;
    const stop = (): void => run.cancel();
    signal.addEventListener('abort', stop, { once: true });
    const begun = this.settings.clock();
    try {
      branch.outcome = await run.outcome;
    } finally {
      branch.workMs = this.settings.clock() - begun;
      signal.removeEventListener('abort', stop);
    }
    const { repository } = this.settings;
    const kept = branch.outcome.lineage?.branches.findLast(({ run_id }) => run_id === run.id);
    if (kept?.commit === undefined)
      throw new Failure('tool', branch.outcome.error_details?.message ?? 'there is no copy of its work');
    branch.commit = kept.commit;
    branch.changes = await changesBetween(repository.git, branch.base, kept.commit);
    branch.facts = factsOf(branch.changes.changes, this.settings);
  }

  #specOf(branch: Branch, { agent, model, prompt, phase, endsAt = Infinity }: Work) {
    const { spec, cwd, isolate, setup, copy, limits, clock, baseUrlFor } = this.settings;
    const timeoutMs = Math.min(limits.timeout_ms ?? Infinity, Math.max(1, endsAt - clock()));
    const request = specOf(
      {
        ...spec,
        agent,
        prompt,
        model,
        limits: {
          ...limitsOfEach(limits),
          ...present({ timeout_ms: timeoutMs === Infinity ? undefined : timeoutMs }),
        },
        base_url: agent === builtIn || baseUrlFor === 'everybody' ? spec.base_url : undefined,
        labels: { ...spec.labels, ...present({ phase }) },
        parent_branch_id: branch.parentId,
      },
      { cwd, passEnv: spec.pass_env },
    );
    // By commit: the checked-out branch may have moved since.
    const workspace = {
      isolate,
      from: branch.base,
      dirty: 'ignore' as const,
      branch: branch.id,
      copy: [...copy],
      ...present({ setup }),
    };
    return { ...request, workspace };
  }

  /** Runs a command on a branch. Where the command line names one, only that one counts as verification. */
  async verify(branch: Branch, command: string | undefined, telling: Telling): Promise<Verification | undefined> {
    if (command === undefined || branch.commit === undefined) return undefined;
    try {
      const verification = await this.verifier.verify(branch.commit, command, telling.signal);
      if (command === (this.settings.verify ?? command)) branch.verification = verification;
      return verification;
    } catch (error) {
      if (telling.signal.aborted) return undefined;
      const message = `it could not be verified: ${messageOf(error)}`;
      telling.emit({ type: 'error', scope: 'verify', code: 'tool', message, fatal: false, item_id: telling.itemId });
      throw new Failure('tool', message);
    }
  }

  /** At the end of the work, drops branches that match the base. One without its own changes may still hold those of another. */
  async dropUnchanged(): Promise<void> {
    const { repository, base } = this.settings;
    for (const { id: branch, commit } of this.branches.values())
      if (commit !== undefined) await dropUnchanged(repository, { branch, base: base.commit, commit });
  }

  /** Emits the branch's current state, for the report. */
  tell(branch: Branch, { emit, itemId, signal }: Telling): void {
    const { id, parentId, commit, agent, run, outcome, changes, verification, problem } = branch;
    const remarks = remarksOf(branch).join('; ');
    const cost = outcome === undefined ? undefined : treeUsage([outcome]).cost;
    emit({
      type: 'branch.updated',
      branch_id: id,
      parent_branch_id: parentId,
      item_id: itemId,
      verified: verification?.result ?? 'not_run',
      status: outcome?.verdict.class ?? (problem === undefined ? 'success' : signal.aborted ? 'cancelled' : 'tool'),
      ...present({
        commit,
        agent,
        run_id: run?.id,
        files: changes?.changes.length,
        additions: changes?.additions,
        deletions: changes?.deletions,
        cost_usd: cost,
        remarks: remarks || undefined,
      }),
    });
  }
}

/** Aborts when the given signal does, and at this time at the latest. */
export function until(endsAt: number | undefined, signal: AbortSignal, clock: () => number): AbortSignal {
  return endsAt === undefined
    ? signal
    : AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, Math.round(endsAt - clock())))]);
}

function sinksOf(progress: Progress | undefined): (() => Promise<readonly Sink[]>) | undefined {
  return progress && (() => Promise.resolve([progress]));
}

function lastPart(id: string): string {
  return id.slice(id.lastIndexOf('/') + 1);
}
