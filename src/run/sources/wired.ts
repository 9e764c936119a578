import type { RunSpec } from '../../contract/spec.ts';
import type { Draft } from '../../events/event.ts';
import { Failure } from '../../failure.ts';
import type { JsonObject } from '../../json/json.ts';
import { present } from '../../json/present.ts';
import type { Price } from '../../outcome/price.ts';
import type { ProcessEnd } from '../../pipeline/thread.ts';
import { cutAfter } from '../../redact/cut.ts';
import type { Redactor } from '../../redact/redactor.ts';
import { type Quote, quotaDraft, requestedDraft, respondedDraft } from '../../wire/drafts.ts';
import type { ModelAnswer, ModelRequest } from '../../wire/exchange.ts';
import { Gateway } from '../../wire/gateway.ts';
import { InputBound } from '../../wire/input-bound.ts';
import type { Route } from '../../wire/route.ts';
import { standardRoutes, standardVariables } from '../../wire/standard-routes.ts';
import { acpAgent, builtIn, type Environment } from '../../words/vocabulary.ts';
import type { Workspace } from '../../workspace/workspace.ts';
import { allowedModels } from '../allowed-models.ts';
import type { RequestKind } from '../reservations.ts';
import { type Cause, describeCause } from '../stop.ts';
import type { Chooser, Chosen } from './choose.ts';
import { Conversation } from './conversation.ts';
import { unknownDialect } from './process.ts';
import { wireOf } from './reach.ts';
import type { Attempt, Source } from './source.ts';
import { WireRecording } from './wire-recording.ts';

/** Paths that are told of; an agent may ask for any number. */
const mostStrays = 20;
/** A quota is told when it is half used up, and then with each further tenth. */
const worthTelling = 5;
/** How often a model that is not allowed may be asked beside the work, such as for a title, before the agent is stopped. */
const mostBeside = 5;
/** A provider that knows only a recording is given this in place of a key. */
const noKey = 'token';

/** A command or an agent whose requests to models pass through a gateway of this run. `choose` makes its source, which is told the way there. */
export async function wiredSource<Given extends Chooser>(
  spec: RunSpec,
  chooser: Given,
  choose: (given: Given) => Promise<Chosen>,
): Promise<Chosen> {
  const { agent, command } = spec;
  const wire = wireOf(spec);
  if (agent === acpAgent || (command === undefined && agent === builtIn))
    throw new Failure(
      'input',
      `${flagOf(spec)} works for a command of your own and for agents that are programs, not for ${agent}`,
    );
  const { env, set, redact, border, provider } = chooser;
  const given = { ...env, ...set };
  // Until it has ended nobody knows whether what a program prints can be read.
  const keepsReplies = command !== undefined && spec.dialect === undefined;
  let source: Source | undefined;
  const workspace = (): Workspace | undefined => source?.workspace;
  const onFirst = (): void => provider?.worksIn(workspace()?.top ?? spec.cwd);
  const listener = new WireListener(spec.models, redact, { keepsReplies, onFirst });
  const cleanings: (() => void)[] = [];
  let gateway: Gateway | undefined;
  let recording: WireRecording | undefined;
  const open = async (routes: readonly Route[]): Promise<Gateway> => {
    if (wire === 'record')
      recording = chooser.shared.recording ??= await WireRecording.of(spec, given, { redact, workspace });
    recording?.tellTo((line) => listener.recorded(line));
    const upstream = provider?.address;
    const real = upstream === undefined ? routes : routes.map((route) => ({ ...route, upstream, key: noKey }));
    gateway = new Gateway({
      routes: real,
      listener,
      recorder: recording?.recorder,
      keepsReplies,
      numbers: chooser.shared.requests,
      // What is on this machine is not asked of a proxy.
      env: provider === undefined ? given : {},
    });
    await gateway.open(border?.listener);
    // The token is worth nothing outside this run, but it need not be read either.
    redact?.learn([gateway.token, ...routes.flatMap(({ key }) => key ?? [])]);
    return gateway;
  };
  const close = async (): Promise<void> => {
    await gateway?.close();
    for (const clean of cleanings) clean();
  };
  try {
    const chosen =
      command === undefined
        ? await choose({
            ...chooser,
            wire: {
              isOptional: wire === 'auto',
              open: async (routes) => leading(await open(routes)),
              after: (clean) => void cleanings.push(clean),
            },
          })
        : await choose({ ...chooser, set: { ...set, ...variablesTo(await open(standardRoutes(given)), given) } });
    if (gateway === undefined) return chosen;
    source = chosen.source;
    const isAsked = wire !== 'auto';
    return { ...chosen, source: new WiredSource(source, { gateway, listener, recording, close, isAsked }) };
  } catch (error) {
    await close();
    throw error;
  }
}

/** What asked for the wire. */
function flagOf({ wire, network, models }: RunSpec): string {
  if (wire !== undefined && wire !== 'auto') return `--wire ${wire}`;
  if (network === 'model') return '--network model';
  return models.length > 0 ? '--models' : '--max-requests-per-minute';
}

const leading = (gateway: Gateway) => ({
  address: (route: string): string => gateway.address(route),
  token: gateway.token,
});

const variablesTo = (gateway: Gateway, env: Environment): Record<string, string> =>
  standardVariables((route) => gateway.address(route), env);

/** Tells a run what passes. */
class WireListener {
  readonly #quote: Quote;
  readonly #strays = new Set<string>();
  /** The most that each quota was told to be used up, in tenths. */
  readonly #quotas = new Map<string, number>();
  readonly #side = new Set<number>();
  readonly #inputs = new InputBound();
  /** Of the requests on their way, where it matters how much they hold. */
  readonly #bodies = new Map<number, Buffer>();
  readonly #objectionTo: ReturnType<typeof allowedModels>;
  /** Models that were asked for beside the work, and must not be. */
  readonly #beside = new Set<string>();
  #besides = 0;
  readonly #keepsReplies: boolean;
  #conversation: Conversation | undefined;
  #price: Price | undefined;
  #offersTools = false;
  #hasPassed = false;
  #attempt: Attempt | undefined;
  /** Lines of the recording that are not told yet: those of one request, or of one answer, are one event. */
  #lines: JsonObject[] = [];

  readonly #onFirst: () => void;

  /** `onFirst`: called before the first request goes on. */
  constructor(
    models: readonly string[],
    redact: Redactor | undefined,
    { keepsReplies, onFirst }: { keepsReplies: boolean; onFirst: () => void },
  ) {
    this.#objectionTo = allowedModels(models);
    this.#keepsReplies = keepsReplies;
    this.#onFirst = onFirst;
    this.#quote = (text, most) => redact?.quote(text, most) ?? cutAfter(text, most);
  }

  /** The agent is started, for the first time or again. */
  begin(attempt: Attempt, price: Price): void {
    this.#attempt = attempt;
    this.#price = price;
    this.#conversation = this.#keepsReplies ? new Conversation(this.#quote) : undefined;
    this.#tellLines();
  }

  /** Whether any request came in. */
  get hasPassed(): boolean {
    return this.#hasPassed;
  }

  /** What passed, for a program whose own words nobody can read. */
  tellConversation(end: ProcessEnd | undefined): void {
    for (const draft of this.#conversation?.drafts(end) ?? []) this.#emit(draft);
  }

  /** A run that is told to stop, because its money is used up or for any other reason, asks no more. */
  async requested(request: ModelRequest, gone: AbortSignal): Promise<string | undefined> {
    if (!this.#hasPassed) this.#onFirst();
    this.#hasPassed = true;
    const { number, facts } = request;
    const kind = this.#kindOf(request);
    if (kind === 'side') this.#side.add(number);
    this.#emit(requestedDraft(request, kind === 'side', this.#quote));
    if (kind !== 'side') this.#conversation?.requested(request);
    const attempt = this.#attempt;
    const { model, maxOutput: mostOutput, body } = facts;
    const objection =
      attempt?.stop.cause === undefined
        ? (this.#objectionTo(model) ?? this.#objectionTo(facts.deployment ?? model))
        : undefined;
    if (objection !== undefined) return this.#refuseModel(objection, kind);
    const mostInput = (): number | undefined => {
      if (body === undefined) return undefined;
      this.#bodies.set(number, body);
      return this.#inputs.most(body);
    };
    const cause = attempt?.stop.cause ?? (await attempt?.reserve({ number, model, mostInput, mostOutput, kind }, gone));
    if (cause === undefined) return undefined;
    if (!gone.aborted) attempt?.refuse(cause);
    return describeCause(cause);
  }

  /** An agent can do without a title, or with another sub-agent; one that asks again and again for what it cannot have is stopped. */
  #refuseModel(cause: Cause, kind: RequestKind): string {
    const why = describeCause(cause);
    if (kind === 'work' || ++this.#besides > mostBeside) this.#attempt?.refuse(cause);
    else if (!this.#beside.has(why)) {
      this.#beside.add(why);
      this.warn(`wire: ${this.#quote(why, 1000)}`);
    }
    return why;
  }

  /** A program that offers tools asks without them, and without what was said before, for a title or the like. */
  #kindOf({ facts: { tools, continues }, isUnreadable }: ModelRequest): RequestKind {
    const offeredTools = this.#offersTools;
    this.#offersTools ||= tools > 0;
    // One that nobody can read may be anything.
    if (tools > 0 || continues || isUnreadable === true) return 'work';
    return offeredTools ? 'side' : 'unclear';
  }

  responded(request: ModelRequest, answer: ModelAnswer): void {
    const { isServed, reading } = answer;
    const { usage, tokens, serviceTier, model = request.facts.model } = reading;
    const isFinal = usage === 'final';
    const body = this.#bodies.get(request.number);
    this.#bodies.delete(request.number);
    if (body !== undefined && isFinal && tokens.input !== undefined) this.#inputs.learn(body, tokens.input);
    this.#attempt?.settle(request.number, { isServed, isFinal, model, tokens, serviceTier });
    const isSide = this.#side.delete(request.number);
    if (!isSide) this.#conversation?.responded(request, answer);
    this.#emit(this.#priced(respondedDraft(request, answer, isSide, this.#quote), answer, model));
    for (const quota of answer.quotas) {
      const tenths = Math.floor(quota.utilization * 10);
      if (tenths < worthTelling || tenths <= (this.#quotas.get(quota.window) ?? 0)) continue;
      this.#quotas.set(quota.window, tenths);
      this.#emit(quotaDraft(quota));
    }
  }

  /** Few providers name the cost of a request: its tokens and the price of its model do. */
  #priced(draft: Draft, { isServed, reading: { usage, tokens, serviceTier } }: ModelAnswer, model?: string): Draft {
    if (draft.type !== 'model.responded' || !isServed || usage === 'unknown' || tokens.cost !== undefined) return draft;
    const cost_usd = this.#price?.(model, tokens, present({ serviceTier }));
    return cost_usd === undefined ? draft : { ...draft, cost_usd, cost_computed: true };
  }

  /** A line of the recording; the lines that are written at the same moment belong together. */
  recorded(line: JsonObject): void {
    if (this.#lines.push(line) === 1) queueMicrotask(() => this.#tellLines());
  }

  #tellLines(): void {
    // The first line comes before the first attempt.
    if (this.#attempt === undefined) return;
    const lines = this.#lines;
    this.#lines = [];
    if (lines.length > 0) this.#emit({ type: 'wire.recorded', lines });
  }

  strayed(what: string): void {
    this.#hasPassed = true;
    if (this.#strays.size >= mostStrays || this.#strays.has(what)) return;
    this.#strays.add(what);
    this.warn(`wire: ${this.#quote(what, 200)} was not passed on: only requests to a model are`);
  }

  warn(text: string): void {
    this.#emit({ type: 'log', stream: 'agent', level: 'warning', text });
  }

  #emit(draft: Draft): void {
    this.#attempt?.emit(draft, 'wire');
  }
}

class WiredSource implements Source {
  readonly #inner: Source;
  readonly #gateway: Gateway;
  readonly #listener: WireListener;
  readonly #recording: WireRecording | undefined;
  readonly #isAsked: boolean;
  readonly #close: () => Promise<void>;

  constructor(
    inner: Source,
    {
      gateway,
      listener,
      recording,
      close,
      isAsked,
    }: {
      gateway: Gateway;
      listener: WireListener;
      recording: WireRecording | undefined;
      close: () => Promise<void>;
      isAsked: boolean;
    },
  ) {
    this.#inner = inner;
    this.#gateway = gateway;
    this.#listener = listener;
    this.#recording = recording;
    this.#close = close;
    this.#isAsked = isAsked;
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
    return this.#inner.workspace;
  }

  get strayed(): string | undefined {
    return this.#inner.strayed;
  }

  correct(draft: Draft): Draft {
    return this.#inner.correct?.(draft) ?? draft;
  }

  async produce(attempt: Attempt): Promise<ProcessEnd | undefined> {
    this.#listener.begin(attempt, await attempt.price());
    let end: ProcessEnd | undefined;
    try {
      return (end = await this.#inner.produce(attempt));
    } finally {
      await this.#gateway.hangUp();
      await this.#recording?.keepFiles();
      if (this.#inner.dialect === unknownDialect) this.#listener.tellConversation(end);
      // Where nobody asked for the wire, an agent that never began to work is not worth a word.
      if (!this.#listener.hasPassed && (this.#isAsked || attempt.session !== undefined))
        this.#listener.warn('wire: bypassed: nothing was asked at the addresses that the command was given');
    }
  }

  async close(): Promise<void> {
    await this.#close();
    await this.#inner.close?.();
  }
}
