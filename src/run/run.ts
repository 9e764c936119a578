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
import { Attempts, type TooLittle } from './attempts.ts';
import type { BegunWait, Parked } from './parked.ts';
import type { Pause } from '../time/pause.ts';
import { readFallback } from '../contract/flag-values.ts';
import { acpCommand } from '../agents/acp-command.ts';
import { timeZoneOf } from '../time/reset/zone.ts';
import { Budget } from './budget.ts';
import { handOver, nextSpec } from './fallback.ts';
import type { LimitOrder } from '../contract/orders.ts';
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
import type { Shared, StandIn } from './sources/choose.ts';
import type { Introduction, Source } from './sources/source.ts';
import type { Script } from './sources/script.ts';
import type { RunSpec } from '../contract/spec.ts';
import { settleSignal, settleVariable } from './sources/settling.ts';
import { type Cause, noOutside, type Outside, Stop } from './stop.ts';
import type { NextAgent } from './succession.ts';
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
  /** How it waits for a limit, and before a retry; default: in real time. */
  pause?: Pause | undefined;
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
  settle?: ((outcome: RunOutcome, parked: Parked | undefined) => Promise<boolean>) | undefined;
  /** A limit that resets is not waited for here: the run is settled as parked. */
  parks?: boolean;
  /** What an earlier start of the same run has waited already. */
  parked?: Pick<Parked, 'waits' | 'waited_ms'> | undefined;
  /** The wait with which it begins: an earlier start of the same run was killed in it. */
  begunWait?: BegunWait | undefined;
  /** Called before it waits for a limit, with what another process needs to go on with it; and without, when it goes on here. */
  onWait?: ((parked: Parked | undefined) => void) | undefined;
  /** Asked about actions that no rule allows or denies; unset: they are denied. */
  ask?: AskPerson | undefined;
  /** Answers what passes through the wire in place of all providers. */
  provider?: StandIn | undefined;
  /** The agent's program; unset: the first one in PATH. */
  program?: string | undefined;
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
  /** Runs that start below it meanwhile do not begin either. */
  #pausedBy: string | undefined;
  #attempts: Attempts | undefined;
  /** All that were chosen, one after the other. */
  readonly #sources: Source[] = [];
  /** What agents of one run have in common. */
  readonly #shared: Shared = { requests: { count: 0 } };
  readonly #early: ((attempts: Attempts) => void)[] = [];
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
    if (parent instanceof LiveRun) {
      parent.#children.add(this);
      if (parent.#pausedBy !== undefined && parent.#stop.cause === undefined) this.pause(parent.#pausedBy);
    }
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

  pause(by: string): string | undefined {
    if (!this.#isOver) this.#pausedBy ??= by;
    this.#children.each((run) => void run.pause(by));
    return this.#order((attempts) => attempts.pause(by));
  }

  resume(by: string): string | undefined {
    this.#pausedBy = undefined;
    this.#children.each((run) => void run.resume(by));
    return this.#order((attempts) => attempts.resume(by));
  }

  limit(limits: LimitOrder, by: string): string | undefined {
    return this.#order((attempts) => attempts.limit(limits, by));
  }

  /** One that comes before the agent is chosen is carried out then. */
  #order(act: (attempts: Attempts) => string | undefined): string | undefined {
    if (this.#isOver) return 'it has ended already';
    if (this.#attempts !== undefined) return act(this.#attempts);
    this.#early.push((attempts) => void act(attempts));
    return undefined;
  }

  async #run(): Promise<RunOutcome> {
    let ignore = (): void => {};
    try {
      const refusal = this.#options.refusal ?? (await unknownFallback(this.spec)) ?? (await this.#reserve());
      const { source, introduction, limits } = await this.#chooseSource(refusal);
      this.#sources.push(source);
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
        timeZone: () => timeZoneOf(this.#options.env),
        pause: this.#options.pause,
        parks: this.#options.parks === true,
        parked: this.#options.parked,
        begunWait: this.#options.begunWait,
        onWait: this.#options.onWait,
        // What was refused is the run, not its first agent.
        fallback:
          refusal !== undefined || (this.spec.fallback ?? []).length === 0
            ? undefined
            : (index, soFar) => this.#fallback(index, soFar),
        children: this.#children,
        tooLittle: this.spec.min_quota === undefined ? undefined : (agent, model) => this.#tooLittle(agent, model),
        isInner: this.#options.env[settleVariable] === '1',
        ...(await this.#expectations()),
      });
      this.#attempts = attempts;
      for (const act of this.#early) act(attempts);
      ignore = await this.#heed();
      const outcome = await attempts.run().finally(() => this.#closeSources());
      ignore();
      // Once it is settled, others begin: by then a budget has to know what this run used.
      if (this.#options.settle !== undefined) await Promise.all(sinks.map((sink) => sink.flush?.()));
      const isOurs = (await this.#options.settle?.(outcome, attempts.parked)) ?? true;
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
      ignore();
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
  async #closeSources(): Promise<void> {
    for (const source of this.#sources) await source.close?.();
  }

  /** Orders that another process gives, by a file that this one looks at. */
  async #heed(): Promise<() => void> {
    const { ledger, env } = this.#options;
    if (ledger === undefined) return () => {};
    const { heedOrders } = await import('../stores/order-file.ts');
    return heedOrders(env, this.id, (order) => {
      if (order.do === 'pause') return this.pause(order.by);
      return order.do === 'resume' ? this.resume(order.by) : this.limit(order.limits, order.by);
    });
  }

  /** The agent after this many others, told what came of it so far. */
  async #fallback(index: number, soFar: RunOutcome): Promise<NextAgent | undefined> {
    const { agent: first } = this.spec;
    const next = nextSpec(this.spec, index);
    if (next === undefined) return undefined;
    const before = soFar.provenance.agent ?? first;
    const prompt =
      this.#redact?.text(handOver(this.spec.prompt, soFar, before)) ?? handOver(this.spec.prompt, soFar, before);
    const { source, introduction, limits } = await this.#chooseSource(undefined, { ...next, prompt });
    this.#sources.push(source);
    return {
      agent: next.agent,
      model: next.model,
      source,
      introduction: this.#introduce({ agent: next.agent, ...introduction }, next.model),
      limits,
    };
  }

  async #chooseSource(refusal: Failure | undefined, spec: RunSpec = this.spec): Promise<Chosen> {
    const { agentEnv: env = this.#options.env, variables = {}, loadAgent, script, warn, ask, settle } = this.#options;
    const { provider, program } = this.#options;
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
      const chooser = {
        ...given,
        shared: this.#shared,
        run: this,
        place: this.#place,
        redact: this.#redact,
        loadAgent,
        script,
        ask,
        provider,
        // Another agent that goes on for it is another program.
        program: spec === this.spec ? program : undefined,
      };
      const { workspace } = spec;
      const choose = async (chosenBy: typeof chooser): Promise<Chosen> =>
        workspace === undefined
          ? chooseSource(spec, chosenBy)
          : (await import('./sources/isolated.ts')).isolatedSource(spec, workspace, chosenBy);
      const connect = async (chosenBy: typeof chooser): Promise<Chosen> =>
        wireOf(spec) !== 'off'
          ? (await import('./sources/wired.ts')).wiredSource(spec, chosenBy, choose)
          : choose(chosenBy);
      const chosen = isBordered(spec)
        ? await (await import('./sources/bordered.ts')).borderedSource(spec, chooser, connect)
        : await connect(chooser);
      for (const warning of [...chosen.warnings, ...(await this.#uncounted())]) warn?.(warning);
      return chosen;
    } catch (error) {
      // Where a run is settled, nobody waits for an error: it would be tried again, and fail again.
      // What the first agent cannot do is a mistake of whoever asks; what another cannot is why the one after it gets its turn.
      const isNext = spec !== this.spec;
      if (!(error instanceof Failure) || (error.code !== 'config' && settle === undefined && !isNext)) throw error;
      const reason = isNext && error.code !== 'config' ? new Failure('config', error.message, { cause: error }) : error;
      return refused(reason, { agent: spec.agent, ...unenforced(error) });
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

  async #tooLittle(agent: string, model: string | undefined): Promise<TooLittle | undefined> {
    const { min_quota: least = 0 } = this.spec;
    const { whyTooLittle } = await import('../agents/quota/quota.ts');
    const found = await whyTooLittle({ agent, model, least }, this.#options.env, this.#clock());
    if (found === undefined) return undefined;
    const { window, used, resets_at_ms } = found.fact;
    return { message: found.message, window, used, resets_at_ms };
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

  #introduce(agent: Introduction, model = this.spec.model): Introduction {
    const { prompt, cwd, parent } = this.spec;
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

/** A name that nobody knows is a mistake, however far down the list it stands. */
async function unknownFallback({ fallback = [] }: RunSpec): Promise<Failure | undefined> {
  if (fallback.length === 0) return undefined;
  const { findAgent } = await import('../agents/registry.ts');
  try {
    for (const { agent } of fallback.map(readFallback))
      if (agent !== builtIn && acpCommand(agent) === undefined) findAgent(agent);
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

function rootOf({ id, spec }: Run): string {
  return spec.parent?.root_run_id ?? id;
}
