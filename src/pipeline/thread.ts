import type { NoteKind, Origin } from '../dialects/dialect.ts';
import type { AgentEvent, Draft, EventOf, EventRecord, EventSource } from '../events/event.ts';
import { type FoldOptions, type Note, OutcomeFold } from '../outcome/fold.ts';
import type { ChildrenUsage, RunOutcome, Verdict } from '../outcome/outcome.ts';
import { reportOf } from '../outcome/report.ts';
import type { Price } from '../outcome/price.ts';
import { present } from '../json/present.ts';
import { cutAfter } from '../redact/cut.ts';
import type { EventSink, Redactor } from '../redact/redactor.ts';
import { marked, markOfAttempt, markOfRun } from './id-marks.ts';
import { Numbering } from './numbering.ts';
import { Repair } from './repair.ts';

/** How the process ended: known to a live run, given for a stored one. */
export interface ProcessEnd {
  exit_code: number | null;
  signal: string | null;
  timedOut?: boolean;
  /** The signal that we sent it before it ended. */
  requested_signal?: string;
  /** Processes that it left behind, and that we ended. */
  left_running?: number;
  /** Output that was no longer read when its time was up. */
  unread_bytes?: number;
}

export interface ThreadOptions extends FoldOptions {
  /** Called with every draft of the agent before anything is made of it; returns what counts of it. */
  onDraft?: (draft: Draft) => Draft | undefined;
  /** Called with every repaired event in its place in the run, in order; the last is `thread.completed`. */
  onRecord?: (record: EventRecord) => void;
  /** Makes an id for the thread; called only when the agent names no session. Default: random. */
  newId?: () => string;
  /** For live streams. A stored log has only the times that the agent wrote. */
  clock?: () => number;
  /** What the caller knows about the run; the agent's own introduction completes it. */
  introduction?: Omit<EventOf<'thread.started'>, 'type'>;
  /** Redacts everything before it is delivered; unset: nothing is redacted. One redactor serves one run. */
  redact?: Redactor;
  /** The records will be written as JSON: parts that many of them share are then serialized only once. */
  isWritten?: boolean;
}

/** `user`: someone asked it to stop; `limit`: it was not allowed to continue; `done`: it had nothing left to do. */
export type StoppedBy = 'user' | 'limit' | 'done';

/** What most of a stream consists of; an outcome cleans what it takes from these by itself. */
const isLong: ReadonlySet<AgentEvent['type']> = new Set([
  ...(['text.delta', 'text.completed', 'reasoning.delta', 'reasoning.completed'] as const),
  ...(['item.started', 'item.output', 'item.completed', 'line.unknown', 'usage.reported'] as const),
]);

/** No agent asks its model this often before it introduces itself; one that prints nothing until its end does. */
const mostEarly = 40;

/** The latest time that a `Date` can hold, in ms. */
const latestDate = 8.64e15;

/** One run from its first event to its verdict: drafts in, repaired, clean and numbered records out, folded on the way. */
export class Thread {
  readonly #options: ThreadOptions;
  readonly #repair: Repair;
  #introduction: ThreadOptions['introduction'];
  readonly #fold: OutcomeFold;
  readonly #notes = new Map<string, Note>();
  #source: EventSource = 'agent';
  readonly #numbering: Numbering;
  #at: number | undefined;
  #explained = false;
  #stopped: StoppedBy | undefined;
  #session: string | undefined;
  /** Whether the agent has introduced itself in this attempt. */
  #isIntroduced = false;
  #attempt = 1;
  #runs = 1;
  #hasFinished = false;
  /** The call that ended last. */
  #lastEnded: string | undefined;
  /** A prefix for ids. */
  #mark = '';
  /** What is being delivered is our own word, not read from a stream. */
  #isTelling = false;
  /** How many calls are going on, one within the other. */
  #depth = 0;
  #waiting: (() => void)[] = [];
  /** The agent has introduced itself, or is no longer waited for. */
  #isBegun = false;
  /** What passed on the wire before that: a thread is named after the agent's own words. */
  readonly #early: { draft: Draft; at: number | undefined }[] = [];

  constructor(options: ThreadOptions = {}) {
    this.#options = options;
    const { redact, onRecord, introduction, newId, isWritten } = options;
    this.#numbering = new Numbering({ ...present({ newId, isWritten }), clean: (text) => this.clean(text) });
    this.#fold = new OutcomeFold(redact === undefined ? options : { ...options, clean: (text) => redact.text(text) });
    const deliver = (event: AgentEvent, synthetic: boolean): void => this.#deliver(event, synthetic);
    // Without a listener, only the outcome gets out, and that is small.
    const isHeard = onRecord !== undefined;
    // But a private key that is printed line by line cannot be recognised from its last lines alone, and evidence is cut.
    const isCleaned = (event: AgentEvent): boolean =>
      !(this.#isTelling && event.type === 'wire.recorded') && (isHeard || !isLong.has(event.type));
    const clean: EventSink =
      redact === undefined
        ? deliver
        : (event, synthetic, isWhole) =>
            isCleaned(event) ? redact.push(event, synthetic, deliver, isWhole) : deliver(event, synthetic);
    this.#introduction = introduction;
    this.#repair = new Repair(
      introduction === undefined
        ? clean
        : (event, synthetic, isWhole) =>
            clean(
              event.type === 'thread.started' ? introduced(this.#introduction ?? introduction, event) : event,
              synthetic,
              isWhole,
            ),
    );
  }

  /** Takes an event of the agent. */
  emit(draft: Draft, origin?: Origin): void {
    const { onDraft } = this.#options;
    const taken = onDraft === undefined ? draft : onDraft(draft);
    if (taken === undefined) return;
    // Without a closure, since most of a run passes here.
    this.#depth += 1;
    try {
      this.#take(taken, origin);
    } finally {
      this.#settle();
    }
  }

  /** Takes an event from beside the agent: our own word about the run, or that of another `source`. */
  tell(draft: Draft, source: EventSource = 'runner'): void {
    if (source === 'wire' && !this.#isBegun && this.#early.length < mostEarly) {
      this.#early.push({ draft, at: this.#options.clock?.() });
      return;
    }
    this.#deliverAll(() => this.#tellNow(draft, source));
  }

  #tellNow(draft: Draft, source: EventSource, at?: number): void {
    this.#source = source;
    this.#at = at;
    if (draft.type === 'limit.reached' || (draft.type === 'error' && draft.fatal)) this.#explained = true;
    // A recording was cleaned when it was made, field by field: the ids of calls must stay what they are.
    this.#isTelling = true;
    this.#repair.push(draft);
    this.#isTelling = false;
    this.#source = 'agent';
    this.#at = undefined;
  }

  /** The agent has introduced itself: what passed before that is told now, with the time when it did. */
  #begin(): void {
    this.#isBegun = true;
    const { source, at } = { source: this.#source, at: this.#at };
    for (const early of this.#early.splice(0)) this.#tellNow(early.draft, 'wire', early.at);
    this.#source = source;
    this.#at = at;
  }

  /** Nothing re-enters a thread while a record is on its way: this acts when none is, which may be now. */
  whenIdle(act: () => void): void {
    if (this.#depth === 0) act();
    else this.#waiting.push(act);
  }

  #deliverAll<Answer>(step: () => Answer): Answer {
    this.#depth += 1;
    try {
      return step();
    } finally {
      this.#settle();
    }
  }

  #settle(): void {
    this.#depth -= 1;
    if (this.#depth === 0 && this.#waiting.length > 0) for (const act of this.#waiting.splice(0)) act();
  }

  #take(draft: Draft, origin: Origin | undefined): void {
    const heard = this.#heard(draft);
    if (heard === undefined || this.#isEndedAgain(heard)) return;
    const isNextRun = heard.type === 'thread.started' && this.#isOfNextRun(heard);
    if (isNextRun) {
      // On a tape, ids already differ.
      if (origin === undefined) this.#mark = markOfRun(++this.#runs);
      this.#lastEnded = undefined;
    }
    this.#hasFinished = heard.type === 'agent.finished' || (this.#hasFinished && heard.type !== 'thread.started');
    const own = this.#mark === '' ? heard : marked(heard, this.#mark);
    if (origin !== undefined) {
      this.#source = origin.source;
      this.#numbering.isFrom(origin);
    }
    if (own.type === 'thread.started' && own.session_id) this.#introduced(own.session_id);
    if (own.type === 'agent.finished' || own.type === 'limit.reached' || (own.type === 'error' && own.fatal))
      this.#explained = true;
    if (isNextRun && own.type === 'thread.started') this.#repair.nextRun(own, origin?.synthetic);
    else this.#repair.push(own, origin?.synthetic ?? false, origin?.isWhole);
  }

  /** Logs deliver at least once: if the end of a call is repeated immediately, it does not end another call. */
  #isEndedAgain(draft: Draft): boolean {
    if (draft.type === 'item.started') this.#lastEnded = undefined;
    if (draft.type !== 'item.completed') return false;
    const isAgain = this.#lastEnded === draft.item_id;
    this.#lastEnded = draft.item_id;
    if (isAgain) this.note('guessed', 'end of a call that came twice');
    return isAgain;
  }

  /** Streams may be concatenated: an agent that introduces itself again after its end, or with another session, begins another run. */
  #isOfNextRun({ session_id }: EventOf<'thread.started'>): boolean {
    return (
      this.#hasFinished ||
      (this.#isIntroduced && session_id !== undefined && session_id !== '' && session_id !== this.#session)
    );
  }

  #introduced(session: string): void {
    if (this.#isIntroduced && session !== this.#session)
      this.note('guessed', 'more than one session in one stream, read as one run');
    this.#isIntroduced = true;
    this.#session = session;
  }

  /** The agent was told to stop: whatever it reports about its end from now on was caused by us. */
  stopped(by: StoppedBy): void {
    this.#stopped ??= by;
  }

  #heard(draft: Draft): Draft | undefined {
    if (this.#stopped === undefined) return draft;
    if (draft.type === 'error' && draft.fatal) return { ...draft, fatal: false };
    if (draft.type !== 'agent.finished') return draft;
    if (this.#stopped === 'user') return draft.status === 'failed' ? { ...draft, status: 'cancelled' } : draft;
    return this.#stopped === 'done' && draft.status === 'ok' ? draft : undefined;
  }

  /** Sets the time of events emitted from now on; undefined: not reported, so the clock decides. */
  at(ms: number | undefined): void {
    this.#at = ms === undefined || Math.abs(ms) <= latestDate ? ms : undefined;
  }

  note(kind: NoteKind, what: string, line?: number): void {
    const clean = this.clean(what);
    const key = `${kind} ${clean}`;
    const known = this.#notes.get(key);
    if (known !== undefined) known.count += 1;
    // A hostile stream can invent any number of type names, so the list of notes is bounded.
    else if (this.#notes.size < 1000) this.#notes.set(key, { kind, what: clean, count: 1, ...(line ? { line } : {}) });
  }

  /** The beginning of a text of the agent, for a message of ours: without secrets, then cut. */
  quote(text: string, most: number, ellipsis?: string): string {
    return this.#options.redact?.quote(text, most, ellipsis) ?? cutAfter(text, most, ellipsis);
  }

  /** The same for a text that is quoted line by line: earlier lines may show what this one is. */
  quoteLine(line: string, most: number): string {
    return cutAfter(this.#options.redact?.line(line, 'quoted') ?? line, most);
  }

  /** A text for people, without secrets. */
  clean(text: string): string {
    return this.#options.redact?.text(text) ?? text;
  }

  get notes(): Note[] {
    return [...this.#notes.values()];
  }

  /** The session that the agent named last. */
  get session(): string | undefined {
    return this.#session;
  }

  get attempt(): number {
    return this.#attempt;
  }

  /** Whether anything was said or done that a new start would throw away. */
  get hasProgress(): boolean {
    return this.#fold.hasProgress;
  }

  /** What the run has used so far. */
  spent(price?: Price): { tokens: number; cost: number | undefined } {
    return this.#fold.spent(price);
  }

  /** Whether it is already known how the agent ended, or what stopped it. */
  get isExplained(): boolean {
    return this.#explained;
  }

  /** Tokens are known but their cost is not: a price table would help. */
  get needsPrice(): boolean {
    return this.#fold.needsPrice;
  }

  /** Closes what is open; returns the verdict of the run if nothing follows. */
  endAttempt(process?: ProcessEnd): Verdict {
    return this.#deliverAll(() => {
      this.#close(process);
      return this.#fold.verdict;
    });
  }

  #close(process: ProcessEnd | undefined): void {
    this.#repair.end();
    this.#options.redact?.end((event, synthetic) => this.#deliver(event, synthetic));
    if (this.#options.clock !== undefined) this.#at = undefined;
    if (process === undefined) return;
    const { timedOut = false, ...rest } = process;
    const reason = timedOut ? 'timeout' : rest.signal === null ? 'exited' : 'signalled';
    const session = this.#attempt > 1 && this.#session !== undefined ? { session_id: this.#session } : {};
    this.#source = 'runner';
    this.#repair.push({ type: 'process.ended', ...rest, reason, ...session });
  }

  /** Another agent takes over: what is known about it before its first event. */
  introduce(introduction: NonNullable<ThreadOptions['introduction']>): void {
    this.#introduction = introduction;
    this.#session = undefined;
  }

  /** The agent that is at work, by the name that we know it by. */
  get agent(): string | undefined {
    return this.#introduction?.agent;
  }

  /** After `endAttempt`: the agent is started again, and what it does then is judged afresh. */
  retry(scheduled: Omit<EventOf<'retry.scheduled'>, 'type' | 'scope'>): void {
    this.#deliverAll(() => {
      this.tell({ type: 'retry.scheduled', scope: 'run', ...scheduled });
      this.#attempt += 1;
      this.#mark = markOfAttempt(this.#attempt);
      this.#hasFinished = false;
      this.#isIntroduced = false;
      this.#explained = false;
      this.#lastEnded = undefined;
    });
  }

  /** Closes what is open, determines the verdict and emits `thread.completed` as the last event. */
  end(dialect: string, process?: ProcessEnd, price?: Price): RunOutcome {
    this.endAttempt(process);
    return this.complete(dialect, price);
  }

  /** After the last `endAttempt`: the outcome of the run if nothing is added. */
  soFar(dialect: string, price?: Price): RunOutcome {
    return this.#clean(this.#fold.outcome(dialect, this.notes, price));
  }

  /** After the last `endAttempt`. */
  complete(dialect: string, price?: Price): RunOutcome {
    this.#source = 'runner';
    const outcome = this.soFar(dialect, price);
    const { status, message, error_details: error, verdict } = outcome;
    const { class: name, exit_code, evidence } = verdict;
    const summary = message !== '' ? message : (error?.message ?? evidence[0]?.detail ?? '');
    const last = { status, summary, verdict: { class: name, exit_code, evidence }, final_report: reportOf(outcome) };
    this.#deliverAll(() => this.#deliver({ type: 'thread.completed', ...last }, false));
    return outcome;
  }

  #clean(folded: RunOutcome): RunOutcome {
    const { redact } = this.#options;
    const known = this.#known(folded);
    const outcome = redact?.json(known) ?? known;
    if (redact !== undefined && redact.count > 0) outcome.provenance.redactions = redact.count;
    return outcome;
  }

  /** Reports what the runs below this one used. */
  reportChildren({ cost, ...children }: ChildrenUsage): void {
    this.tell({ type: 'children.reported', ...children, ...present({ cost_usd: cost }) });
  }

  /** Adds what the agent's introduction did not contain: its name, and a session that it names only in its last line. */
  #known(outcome: RunOutcome): RunOutcome {
    const { provenance, session_id } = outcome;
    if (session_id === '' && this.#session !== undefined) {
      outcome.session_id = this.#session;
      outcome.metadata = { ...outcome.metadata, session_id: this.#session };
    }
    const { agent = agentOf(provenance.dialect), ...rest } = provenance;
    return { ...outcome, provenance: { ...present({ agent }), ...rest } };
  }

  #deliver(event: AgentEvent, synthetic: boolean): void {
    const at = this.#at ?? this.#options.clock?.();
    const record = this.#numbering.record(event, this.#source, synthetic, at);
    this.#fold.apply(record, at, synthetic);
    this.#options.onRecord?.(record);
    if (!this.#isBegun && event.type === 'thread.started') this.#begin();
  }
}

/** An agent that is itself a Runwire run has its own place in the ledger, which is not that of the run it works for. */
function introduced(
  introduction: NonNullable<ThreadOptions['introduction']>,
  event: EventOf<'thread.started'>,
): EventOf<'thread.started'> {
  if (introduction.run_id === undefined) return { ...introduction, ...event };
  const { run_id: _run, parent_run_id: _parent, root_run_id: _root, traceparent: _trace, ...fields } = event;
  return { ...introduction, ...fields };
}

/** A dialect is named after the agent that speaks it; tapes and trajectories may come from any agent. */
function agentOf(dialect: string): string | undefined {
  return dialect === 'unknown' || dialect === 'runwire' || dialect === 'atif' ? undefined : dialect;
}
