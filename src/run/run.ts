import type { RunAgent } from '../builtin/agent.ts';
import { ownSecrets } from '../builtin/config/secrets.ts';
import type { AskPerson } from '../builtin/permissions/question.ts';
import type { EventRecord } from '../events/event.ts';
import { Failure } from '../failure.ts';
import type { Price } from '../outcome/price.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import { present } from '../json/present.ts';
import { Redactor } from '../redact/redactor.ts';
import { secretValues } from '../redact/secrets.ts';
import { passwordsIn } from '../redact/url-password.ts';
import { newRunId } from '../ids/run-id.ts';
import { builtIn, type Environment } from '../words/vocabulary.ts';
import { Attempts } from './attempts.ts';
import { Budget } from './budget.ts';
import { Children } from './children.ts';
import { type GitPlace, gitPlace } from './git.ts';
import type { Run } from './handle.ts';
import type { LedgerSink } from './sinks/ledger.ts';
import type { TelemetryRequest } from '../telemetry/settings.ts';
import { openSinks, type SinkRequests } from './sinks/open.ts';
import { RecordLog } from './sinks/record-log.ts';
import type { Sink } from './sinks/sink.ts';
import { isBordered, wireOf, unenforced } from './sources/reach.ts';
import { type Chosen, chooseSource, refusingSource } from './sources/choose.ts';
import type { Introduction } from './sources/source.ts';
import type { Script } from './sources/script.ts';
import type { RunSpec } from '../contract/spec.ts';
import { settleSignal, settleVariable } from './sources/settling.ts';
import { type Cause, noOutside, type Outside, Stop } from './stop.ts';
import { type RunTrace, startedIn, traceOf, traceVariables } from './trace.ts';

export interface StartOptions extends SinkRequests {
  env: Environment;
  /** What the agent, and everything that is started for it, may have of `env`; unset: all of it. */
  agentEnv?: Environment | undefined;
  /** The id of a run that was announced before it starts; unset: a new one. */
  id?: string;
  /** Values for the agent's process alone; the spec only names them. */
  variables?: Readonly<Record<string, string>>;
  /** Whether its records are kept for readers of the handle; default: yes. */
  keepsRecords?: boolean;
  /** The run that this one is part of. */
  parent?: Run | undefined;
  /** The id of the parent's tool call that started this run. */
  parentItem?: string | undefined;
  clock?: () => number;
  /** Receives warnings for people. */
  warn?: (message: string) => void;
  /** Signals and crashes of the program; a library handles none. */
  outside?: Outside;
  /** Why it cannot begin: reported like any other run. */
  refusal?: Failure;
  /** Takes the place of the built-in agent; called once, with the run that it works for. */
  loadAgent?: ((run: Run) => Promise<RunAgent>) | undefined;
  /** Directs the run instead of an agent; called once likewise. */
  script?: ((run: Run) => Script) | undefined;
  /** Called when the run has its outcome: false means that another process has taken the run over, and nothing more is reported here. */
  settle?: ((outcome: RunOutcome) => Promise<boolean>) | undefined;
  /** Asked about actions that no rule allows or denies; unset: they are denied. */
  ask?: AskPerson | undefined;
}

/** Starts a run at once. The command, the library, and anything else that runs agents hold the same handle. */
export function start(spec: RunSpec, options: StartOptions): Run {
  return new LiveRun(spec, options);
}

class LiveRun implements Run {
  readonly id: string;
  readonly spec: RunSpec;
  readonly outcome: Promise<RunOutcome>;
  readonly #options: StartOptions;
  readonly #clock: () => number;
  readonly #startedAt: number;
  readonly #git: GitPlace;
  readonly #trace: RunTrace | undefined;
  readonly #telemetry: TelemetryRequest | undefined;
  readonly #stop: Stop;
  readonly #redact: Redactor | undefined;
  readonly #children = new Children();
  /** Shared by the whole tree of runs. */
  readonly #budget: Budget;
  readonly #log = new RecordLog(() => this.#ledger?.tape);
  #ledger: LedgerSink | undefined;
  #isOver = false;
  #loadedPrice: Promise<Price> | undefined;

  constructor(spec: RunSpec, options: StartOptions) {
    const { parent, clock = Date.now, outside = noOutside, env, variables } = options;
    if (parent instanceof LiveRun && spec.budget !== undefined && spec.budget !== parent.spec.budget)
      throw new Failure(
        'input',
        `a run below ${parent.id} takes from the budget of that run; leave out the budget "${spec.budget}"`,
      );
    if (parent instanceof LiveRun && parent.#isOver)
      throw new Failure('input', `the run ${parent.id} has ended: it cannot be a parent`);
    this.#options = options;
    this.#clock = clock;
    this.#startedAt = clock();
    this.id = options.id ?? newRunId(this.#startedAt);
    this.spec = parent === undefined ? spec : { ...spec, parent: { run_id: parent.id, root_run_id: rootOf(parent) } };
    this.#git = gitPlace(spec.cwd);
    this.#telemetry = options.telemetry ?? (parent instanceof LiveRun ? parent.#telemetry : undefined);
    this.#trace = traceOf(
      {
        id: this.id,
        above:
          parent instanceof LiveRun
            ? { runId: parent.id, rootRunId: rootOf(parent), itemId: options.parentItem, trace: parent.#trace }
            : undefined,
        parent: this.spec.parent,
        env,
        sampler: this.#telemetry?.sampler,
      },
      options.warn ?? (() => {}),
    );
    this.#stop = new Stop(
      outside,
      spec.limits.timeout_ms,
      (limit) => this.#ledger?.stopped(limit),
      env[settleVariable] === '1' ? settleSignal : undefined,
    );
    // Variables given on the command line are as secret as those in the environment.
    this.#redact = spec.redact
      ? new Redactor({
          values: [...secretValues({ ...env, ...variables }), ...passwordsIn(spec.base_url), ...ownSecrets(env)],
        })
      : undefined;
    this.#budget = parent instanceof LiveRun ? parent.#budget : new Budget(spec.limits);
    this.#stop.signal.addEventListener('abort', () => this.#children.cancel(this.#stop.cause), { once: true });
    this.outcome = this.#run();
    if (parent instanceof LiveRun) parent.#children.add(this);
    // A failure reaches those who await the outcome, and those who read the records.
    this.outcome.catch(() => {});
  }

  records(after?: number): AsyncGenerator<EventRecord, void> {
    return this.#log.read(after);
  }

  [Symbol.asyncIterator](): AsyncGenerator<EventRecord, void> {
    return this.records();
  }

  cancel(cause: Cause = { kind: 'signal', signal: 'SIGTERM' }): void {
    const isSecond = this.#stop.cause !== undefined;
    this.#stop.now(cause);
    if (isSecond) this.#children.cancel(cause);
  }

  async #run(): Promise<RunOutcome> {
    try {
      const refusal = this.#options.refusal ?? (await this.#reserve());
      const { source, introduction, limits } = await this.#chooseSource(refusal);
      const sinks = await this.#openSinks();
      const attempts = new Attempts({
        spec: this.spec,
        source,
        introduction: this.#introduce(introduction),
        limits,
        sinks,
        stop: this.#stop,
        redact: this.#redact,
        clock: this.#clock,
        budget: this.#budget,
        price: () => this.#price(),
        children: this.#children,
        isInner: this.#options.env[settleVariable] === '1',
        ...(await this.#expectations()),
      });
      const outcome = await attempts.run().finally(() => source.close?.());
      // Once it is settled, others begin: by then a budget has to know what this run used.
      if (this.#options.settle !== undefined) await Promise.all(sinks.map((sink) => sink.flush?.()));
      const isOurs = (await this.#options.settle?.(outcome)) ?? true;
      for (const sink of sinks) {
        if (isOurs) sink.end?.(outcome);
        else sink.abandon?.();
      }
      this.#isOver = true;
      await Promise.all(sinks.map((sink) => sink.close?.()));
      await this.#rememberUnknownShapes(outcome);
      return outcome;
    } catch (error) {
      const failure =
        error instanceof Failure ? error : new Failure('config', `unexpected: ${String(error)}`, { cause: error });
      this.#log.fail(failure);
      throw failure;
    } finally {
      this.#isOver = true;
      if (!(this.#options.parent instanceof LiveRun)) await this.#budget.settle();
      this.#stop.dispose();
    }
  }

  /** Reserves from the budget before anything starts; a problem is reported like any other run that cannot begin. */
  async #reserve(): Promise<Failure | undefined> {
    const { budget: name } = this.spec;
    if (name === undefined || this.#budget.name !== undefined) return undefined;
    const { ledger } = this.#options;
    if (ledger === undefined)
      return new Failure('input', `the budget "${name}" is kept in a ledger, and this run has none`);
    try {
      const [{ openStore }, { SharedBudget }] = await Promise.all([
        import('../stores/open-store.ts'),
        import('./shared-budget.ts'),
      ]);
      await this.#budget.share(new SharedBudget({ name, run: this.id, open: () => openStore(ledger.place) }));
      return undefined;
    } catch (error) {
      if (error instanceof Failure) return error;
      throw error;
    }
  }

  async #expectations(): Promise<Pick<ConstructorParameters<typeof Attempts>[0], 'expectations' | 'judges'>> {
    const { expect, redact, cwd, pass_env: passEnv } = this.spec;
    if (expect === undefined || expect.length === 0) return {};
    const { Expectations } = await import('../expect/expectations.ts');
    const { env, agentEnv = env, variables = {} } = this.#options;
    const { signal } = this.#stop;
    return {
      expectations: new Expectations(expect, { isRedacted: redact }),
      async judges({ workspace, border }) {
        const { judgesIn, placeOf } = await import('./judges.ts');
        return judgesIn({ workspace: placeOf({ cwd, workspace, border }), env: agentEnv, passEnv, variables, signal });
      },
    };
  }

  /** A missing agent becomes the outcome of the run, reported like any other. */
  async #chooseSource(refusal: Failure | undefined): Promise<Chosen> {
    const { agentEnv: env = this.#options.env, variables = {}, loadAgent, script, warn, ask, settle } = this.#options;
    const refused = (failure: Failure, introduction: Introduction): Chosen => ({
      source: refusingSource(failure),
      introduction,
      limits: {},
      warnings: [],
    });
    if (refusal !== undefined) return refused(refusal, {});
    try {
      const handedOn = traceVariables(this.#trace, this.#telemetry !== undefined);
      const given =
        Object.keys(handedOn).length === 0
          ? { env, set: variables }
          : { env: { ...env, ...handedOn }, set: { ...handedOn, ...variables } };
      const chooser = { ...given, run: this, place: this.#place, redact: this.#redact, loadAgent, script, ask };
      const { workspace } = this.spec;
      const choose = async (chosenBy: typeof chooser): Promise<Chosen> =>
        workspace === undefined
          ? chooseSource(this.spec, chosenBy)
          : (await import('./sources/isolated.ts')).isolatedSource(this.spec, workspace, chosenBy);
      const connect = async (chosenBy: typeof chooser): Promise<Chosen> =>
        wireOf(this.spec) !== 'off'
          ? (await import('./sources/wired.ts')).wiredSource(this.spec, chosenBy, choose)
          : choose(chosenBy);
      const chosen = isBordered(this.spec)
        ? await (await import('./sources/bordered.ts')).borderedSource(this.spec, chooser, connect)
        : await connect(chooser);
      for (const warning of [...chosen.warnings, ...(await this.#uncounted())]) warn?.(warning);
      return chosen;
    } catch (error) {
      // Where a run is settled, nobody waits for an error: it would be tried again, and fail again.
      if (!(error instanceof Failure) || (error.code !== 'config' && settle === undefined)) throw error;
      return refused(error, { agent: this.spec.agent, ...unenforced(error) });
    }
  }

  /** Warns before the start when a budget in dollars may not see what this run costs. The built-in agent refuses by itself. */
  async #uncounted(): Promise<string[]> {
    const { budget, agent, command, model, price } = this.spec;
    const isBuiltIn = agent === builtIn && command === undefined;
    if (budget === undefined || isBuiltIn || price !== undefined || !this.#budget.limitsCost) return [];
    const { isPriced } = await import('./price.ts');
    if (isPriced(model, await this.#price())) return [];
    const why = model === undefined ? 'its model is not named' : `the price of ${model} is not known`;
    return [
      `${why}: unless the agent reports its cost, this run does not count against the dollars of the budget "${budget}"; --price counts it`,
    ];
  }

  /** What tokens cost; loaded once, and only when it is needed. */
  #price(): Promise<Price> {
    const { env, warn = () => {} } = this.#options;
    return (this.#loadedPrice ??= import('./price.ts').then(({ priceOf }) => priceOf(this.spec, env, warn)));
  }

  get #place() {
    return {
      projectName: this.spec.project_name ?? this.#git.repo,
      parentBranchId: this.spec.parent_branch_id ?? this.#git.branch,
    };
  }

  #introduce(agent: Introduction): Introduction {
    const { prompt, cwd, model, parent } = this.spec;
    const { projectName, parentBranchId } = this.#place;
    return {
      run_id: this.id,
      ...present({
        parent_run_id: parent?.run_id,
        root_run_id: parent?.root_run_id,
        task: prompt === '' ? undefined : prompt,
      }),
      cwd,
      project_name: projectName,
      parent_branch_id: parentBranchId,
      headless: true,
      ...agent,
      ...present({ model, traceparent: startedIn(this.#trace) }),
    };
  }

  async #openSinks(): Promise<readonly Sink[]> {
    const telemetry = this.#trace?.isSampled === true ? this.#telemetry : undefined;
    const { keepsRecords = true } = this.#options;
    const { all, ledger } = await openSinks(
      { ...this.#options, telemetry },
      this.#facts(),
      keepsRecords ? this.#log : undefined,
    );
    this.#ledger = ledger;
    return all;
  }

  /** What is stored about a run besides its records. */
  #facts() {
    const { env, warn = () => {} } = this.#options;
    const { agent, command, model, cwd, labels, parent } = this.spec;
    return {
      id: this.id,
      startedAt: this.#startedAt,
      labels: { ...present({ budget: this.#budget.name }), ...labels },
      agent: command?.[0] ?? agent,
      cwd,
      git: this.#git,
      env,
      clock: this.#clock,
      warn,
      clean: <Value>(value: Value): Value => this.#redact?.json(value) ?? value,
      traceState: this.#trace?.state,
      ...present({ model, parent }),
    };
  }

  async #rememberUnknownShapes(outcome: RunOutcome): Promise<void> {
    if (!outcome.provenance.notes.some(({ kind }) => kind === 'unrecognised')) return;
    const { recordUnknownShapes } = await import('../agents/unknown-shapes.ts');
    await recordUnknownShapes(outcome, this.#options.env, this.#clock());
  }
}

function rootOf({ id, spec }: Run): string {
  return spec.parent?.root_run_id ?? id;
}
