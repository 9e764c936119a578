import { limitsToGoOn } from '../contract/limits-left.ts';
import { rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { allowedNames } from '../agents/environment.ts';
import { exitCodes, Failure, interruptCodes, messageOf } from '../failure.ts';
import { stopLabels } from '../ledger/stop.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { present } from '../json/present.ts';
import { addUsed, type Parked } from '../run/parked.ts';
import { handOver, specAfter } from '../run/fallback.ts';
import type { Run } from '../run/handle.ts';
import { continuePrompt } from '../run/sources/resuming.ts';
import { builtIn } from '../words/vocabulary.ts';
import { parkJob } from './parked-job.ts';
import { start } from '../run/run.ts';
import type { Sink } from '../run/sinks/sink.ts';
import type { RunSpec } from '../contract/spec.ts';
import { ledgerOutcome } from '../stores/ledger-outcome.ts';
import { openStore } from '../stores/open-store.ts';
import { isWholeId } from '../ids/run-id.ts';
import type { Attempt } from '../stores/run-store.ts';
import { pushObjects } from '../workspace/push.ts';
import type { Origin } from './job.ts';
import { bundleOfWork } from './origin.ts';
import { makeCheckout, type Checkout, checkoutsIn } from './checkout.ts';
import { readBundle } from './bundles.ts';
import type { Claimed } from './claim-jobs.ts';
import { readClaimed } from './claimed-spec.ts';
import { earlierAttempts } from './earlier-attempts.ts';
import type { Queue } from './queue.ts';
import { runEnvironment } from './run-environment.ts';
import { giveBack, settleJob, type Settlement, touchJobs } from './settle-job.ts';
import { recordLate } from './record-late.ts';
import type { WorkerOptions } from './worker.ts';

/** How a worker's attempt ended. */
export interface AttemptEnd {
  event: 'ended' | 'lost' | 'given_back' | 'parked';
  exitCode: number;
  class?: string;
  message?: string;
}

/** A restarting server is back by then; after that the lease has expired anyway. */
const settlePatienceMs = 10 * 60_000;
/** Longer than for a command, whose exit code somebody waits for: here only a slot of the worker is occupied. */
const ledgerPatienceMs = 30_000;
const firstRetryMs = 200;
/** Work of an earlier start of the same run. */
const parkedBranches = 'runwire-parked';
/** Agents that find a session wherever they are started; others look it up by the folder, which is another one each time. */
const anywhere = new Set([builtIn, 'runwire', 'codex']);
const lastRetryMs = 5000;

/** One run of this worker, from its claim until it is settled, lost or given back. */
export class QueuedRun {
  readonly claimed: Claimed;
  readonly end: Promise<AttemptEnd>;
  readonly #queue: Queue;
  readonly #options: WorkerOptions;
  readonly #stop = new AbortController();
  #run: Run | undefined;
  #place: Checkout | undefined;
  #origin: Origin | undefined;
  #fate: 'ours' | 'lost' | 'given_back' | 'parked' = 'ours';
  #isSettled = false;
  #cancelledBy: { by: string; reason: string } | undefined;
  #lost: Attempt[] = [];
  /** This worker's attempts that were followed by another. */
  readonly #retried: Attempt[] = [];
  /** Secrets that the agent would have used. */
  #withheld: readonly string[] = [];
  #refusal: Failure | undefined;
  #lastSequence = 0;
  #message: string | undefined;
  #parkedBranch: string | undefined;

  constructor(queue: Queue, claimed: Claimed, options: WorkerOptions) {
    this.#queue = queue;
    this.claimed = claimed;
    this.#options = options;
    this.end = this.#work();
  }

  get isSettled(): boolean {
    return this.#isSettled;
  }

  /** Another worker has it: everything stops at once, and nothing is reported. */
  lose(): void {
    if (this.#fate !== 'ours') return;
    this.#fate = 'lost';
    this.#interrupt('SIGTERM');
  }

  giveBack(): void {
    if (this.#fate !== 'ours' || this.#isSettled) return;
    this.#fate = 'given_back';
    this.#interrupt('SIGTERM');
  }

  /** As Ctrl-C would. */
  cancel(by: string, reason: string): void {
    if (this.#cancelledBy !== undefined) return;
    this.#cancelledBy = { by, reason };
    this.#interrupt('SIGINT');
  }

  /** What a person wants of it, as it stands in the database. */
  async order(given: unknown): Promise<void> {
    const { readOrder } = await import('../contract/orders-schema.ts');
    const order = readOrder(JSON.stringify(given));
    if (order?.do === 'pause') this.#run?.pause(order.by);
    else if (order?.do === 'resume') this.#run?.resume(order.by);
    else if (order !== undefined) this.#run?.limit(order.limits, order.by);
  }

  #interrupt(signal: 'SIGINT' | 'SIGTERM'): void {
    this.#stop.abort();
    this.#run?.cancel({ kind: 'signal', signal });
  }

  async #work(): Promise<AttemptEnd> {
    try {
      const outcome = await this.#perform();
      const { class: name, exit_code: exitCode } = outcome.verdict;
      if (this.#fate === 'ours')
        return { event: 'ended', exitCode, class: name, ...present({ message: this.#message }) };
    } catch (error) {
      // Nothing is known about the run: its lease expires, and another worker tries.
      if (this.#fate === 'ours') return { event: 'lost', exitCode: exitCodes.config, message: messageOf(error) };
    } finally {
      await this.#place?.remove().catch(() => {});
    }
    if (this.#fate === 'parked')
      return { event: 'parked', exitCode: exitCodes.success, ...present({ message: this.#message }) };
    if (this.#fate === 'given_back') await giveBack(this.#queue, this.claimed).catch(() => {});
    return { event: this.#fate === 'given_back' ? 'given_back' : 'lost', exitCode: interruptCodes.SIGTERM };
  }

  async #perform(): Promise<RunOutcome> {
    const { env, ledger, warn } = this.#options;
    const { run: id, attempt, hasBundle } = this.claimed;
    const known = readClaimed(this.claimed);
    this.#origin = known.origin;
    let { refusal } = known;
    // Files are named after it.
    const isNamed = isWholeId(id);
    if (!isNamed) refusal = new Failure('config', 'the job is refused: its run has no id of a run');
    if (attempt > 1 && isNamed) this.#lost = await earlierAttempts(this.claimed, { env, ledger });
    let bundle: Uint8Array | undefined;
    try {
      if (hasBundle && refusal === undefined) bundle = await readBundle(this.#queue, id, 'source');
    } catch (error) {
      // An unreachable server says nothing about the run.
      if (!(error instanceof Failure)) throw error;
      refusal ??= error;
    }
    try {
      if (refusal === undefined) {
        this.#place = await makeCheckout(known.origin, bundle, { env, signal: this.#stop.signal });
        await this.#fetchParked();
      }
    } catch (error) {
      refusal = new Failure('config', `the files of the run cannot be had: ${messageOf(error)}`, { cause: error });
    }
    this.#refusal = refusal;
    const { env: agentEnv, withheld } = await runEnvironment(known.spec, {
      env,
      allowEnv: this.#options.allowEnv,
      places: checkoutsIn(env),
    });
    this.#withheld = withheld;
    const run = start(this.#specHere(specAfter(known.spec, this.claimed.parked?.fallbacks)), {
      ...(isNamed ? { id } : {}),
      env,
      agentEnv,
      ledger: !isNamed
        ? undefined
        : {
            place: ledger,
            keepsTape: true,
            patienceMs: ledgerPatienceMs,
            ...(this.#lost.length === 0 ? {} : { lost: this.#lost }),
          },
      keepsRecords: false,
      sinks: async () => [this.#listener],
      warn,
      parks: isNamed,
      ...present({ parked: this.claimed.parked }),
      settle: (outcome, parked) => this.#settle(outcome, parked),
      ...present({ refusal }),
    });
    this.#run = run;
    if (this.#stop.signal.aborted)
      run.cancel({ kind: 'signal', signal: this.#cancelledBy === undefined ? 'SIGTERM' : 'SIGINT' });
    const outcome = await run.outcome;
    if (this.#isSettled) await this.#afterwards();
    return outcome;
  }

  /** The work that the run had before it waited. */
  async #fetchParked(): Promise<void> {
    const { run, parked, hasResult } = this.claimed;
    const { git } = this.#place ?? {};
    if (parked === undefined || !hasResult || git === undefined) return;
    const work = await readBundle(this.#queue, run, 'result');
    if (work === undefined) return;
    const file = join(git.cwd, '..', 'parked.bundle');
    await writeFile(file, work, { mode: 0o600 });
    await git.text(['fetch', '-q', '--no-tags', file, `refs/heads/*:refs/heads/${parkedBranches}/*`]);
    await rm(file, { force: true });
    const found = await git.text([
      'for-each-ref',
      '--count=1',
      '--format=%(refname:short)',
      `refs/heads/${parkedBranches}`,
    ]);
    this.#parkedBranch = found === '' ? undefined : found;
  }

  /** What is left of a run that waited: its limits, its session where that is here, else its task with what is known. */
  #goOn(spec: RunSpec): Partial<RunSpec> {
    const { parked } = this.claimed;
    if (parked === undefined) return {};
    const { used, session, agent, host, prompt } = parked;
    const limits = limitsToGoOn(spec.limits, { ...used, cost: used.cost ?? 0 });
    const isHere = session !== undefined && host === hostname() && anywhere.has(agent) && spec.agent === agent;
    return {
      limits: { ...spec.limits, ...limits },
      ...(isHere ? { resume: session, prompt: continuePrompt } : { prompt }),
    };
  }

  async #park(outcome: RunOutcome, parked: Parked): Promise<boolean> {
    const { used: before, fallbacks = 0 } = this.claimed.parked ?? {};
    const { used } = parked;
    const { branch, bundle } = await this.#workOf(outcome);
    const { spec } = readClaimed(this.claimed);
    const { verdict, metrics } = outcome;
    const attempts = [...this.#lost, ...this.#retried];
    const last = {
      number: attempts.length + 1,
      status: outcome.status,
      class: verdict.class,
      reason: parked.cause,
      ...present({
        session_id: outcome.session_id || undefined,
        started_at: metrics.start_time_ms,
        duration_ms: metrics.duration_ms,
        tokens_used: metrics.tokens_used,
        cost: metrics.cost,
      }),
    };
    const isParked = await parkJob(this.#queue, this.claimed, {
      parked: {
        ...parked,
        host: hostname(),
        attempts: [...attempts, last],
        fallbacks: fallbacks + (parked.fallbacks ?? 0),
        used: addUsed(used, before),
        prompt: handOver(spec.prompt, outcome, parked.agent),
      },
      branch,
      bundle,
    });
    this.#fate = isParked ? 'parked' : 'lost';
    this.#message = `waits until ${new Date(parked.until).toISOString()}`;
    return false;
  }

  /** What the queue has to know about the run besides its outcome. */
  get #listener(): Sink {
    return {
      record: ({ sequence }) => void (this.#lastSequence = sequence),
      attempt: (attempt) => void this.#retried.push({ ...attempt, number: this.#lost.length + attempt.number }),
    };
  }

  /** The spec for this machine: the folder and all environment values are the worker's, never those of the machine that queued it. */
  #specHere(spec: RunSpec): RunSpec {
    const { budget, by } = this.claimed;
    const origin = this.#origin;
    const { env, allowEnv } = this.#options;
    const { isolate = 'auto', setup, branch } = spec.workspace ?? {};
    const { workspace: _, ...rest } = spec;
    return {
      ...rest,
      ...this.#goOn(spec),
      cwd: this.#place?.cwd ?? process.cwd(),
      pass_env: allowedNames(env, spec.pass_env, allowEnv),
      labels: { ...spec.labels, 'queued.by': by, ...present({ 'git.repo': origin?.name }) },
      // Part of the budget is reserved before the agent starts; if nothing is left, the run ends with exit code 5 and names the budget.
      ...present({ budget }),
      ...(this.#place?.git === undefined
        ? {}
        : {
            workspace: { isolate, dirty: 'refuse', copy: [], ...present({ setup, branch, from: this.#parkedBranch }) },
          }),
    };
  }

  /** Called when the run has its outcome, before it is reported anywhere. */
  async #settle(outcome: RunOutcome, parked: Parked | undefined): Promise<boolean> {
    if (this.#fate !== 'ours') return false;
    if (parked !== undefined) return this.#park(outcome, parked);
    const settlement = await this.#settlementOf(outcome);
    const begin = performance.now();
    for (let delay = firstRetryMs; ; delay = Math.min(delay * 2, lastRetryMs)) {
      try {
        this.#isSettled = await settleJob(this.#queue, this.claimed, settlement);
        this.#fate = this.#isSettled ? 'ours' : 'lost';
        return this.#isSettled;
      } catch (error) {
        if (performance.now() - begin > settlePatienceMs) throw error;
        await sleep(delay);
      }
    }
  }

  async #settlementOf(outcome: RunOutcome): Promise<Settlement> {
    const { by, reason } = this.#cancelledBy ?? {};
    const cancellation = by === undefined ? undefined : `cancelled by ${by}${reason === '' ? '' : `: ${reason ?? ''}`}`;
    const { branch, bundle, trouble: lack } = await this.#workOf(outcome);
    let trouble = lack;
    if (bundle !== undefined && branch !== undefined && outcome.status === 'success')
      trouble ??= await this.#publish(branch);
    this.#message =
      [cancellation, this.#refusal?.message, trouble, this.#missing(outcome)]
        .filter((each) => each !== undefined)
        .join('; ') || undefined;
    return {
      outcome: ledgerOutcome(outcome),
      ended_at: Date.now(),
      last_sequence: this.#lastSequence,
      attempts: [...this.#lost, ...this.#retried],
      ...present({ message: this.#message, branch: bundle === undefined ? undefined : branch, bundle }),
    };
  }

  /** What it changed, on a branch that another machine can fetch. */
  async #workOf({ lineage }: RunOutcome): Promise<{ branch?: string; bundle?: Uint8Array; trouble?: string }> {
    const { start_branch_id: from, branches = [] } = lineage ?? {};
    const branch = branches.find(({ branch_id }) => branch_id !== from)?.branch_id;
    const commit = this.#origin?.commit;
    const git = this.#place?.git;
    if (git === undefined || branch === undefined || commit === undefined) return {};
    try {
      return { branch, ...present({ bundle: await bundleOfWork({ git }, branch, commit) }) };
    } catch (error) {
      return { branch, trouble: `its work could not be kept: ${messageOf(error)}` };
    }
  }

  /** A key that was not given may be why it failed, which its agent cannot know. */
  #missing({ status }: RunOutcome): string | undefined {
    if (status === 'success' || this.#refusal !== undefined || this.#withheld.length === 0) return undefined;
    return `this worker has ${this.#withheld.join(', ')}, and does not allow it to runs: see "runwire worker --allow-env"`;
  }

  /** Pushes the branch, only if the run surely still belongs to this worker. Returns a message about it. */
  async #publish(branch: string): Promise<string | undefined> {
    const { publish, run, claim } = this.claimed;
    const origin = this.#origin;
    const git = this.#place?.git;
    if (publish !== 'branch' || git === undefined) return undefined;
    if (origin?.remote === undefined) return 'it was not pushed: its repository has no remote';
    if ((await touchJobs(this.#queue, [{ run, claim }])).lost.length > 0) return undefined;
    const commit = await git.text(['rev-parse', '-q', '--verify', `refs/heads/${branch}`]);
    return (
      (await pushObjects(join(git.cwd, '.git', 'objects'), {
        remote: origin.remote,
        commit,
        branch,
        env: this.#options.env,
      })) ?? `pushed to ${origin.remote} as ${branch}`
    );
  }

  /** The ledger has the end by now, or gets it here; who cancelled a run is recorded as by the dashboard. */
  async #afterwards(): Promise<void> {
    const { run } = this.claimed;
    const { by, reason = '' } = this.#cancelledBy ?? {};
    try {
      if (by !== undefined) {
        const store = await openStore(this.#options.ledger);
        await store.addLabels(run, stopLabels(by, reason)).finally(() => store.close());
      }
      await recordLate(this.#queue, this.#options.ledger, { run });
    } catch {
      // Another worker will do it.
    }
  }
}
