import type { NoteKind, Origin } from '../dialects/dialect.ts';
import type { AgentEvent, Draft, EventSource } from '../events/event.ts';
import { type FoldOptions, type Note, OutcomeFold } from '../outcome/fold.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import type { Price } from '../outcome/usage.ts';
import type { Redactor } from '../redact/redactor.ts';
import { Repair } from './repair.ts';

/** What a live run knows about the process and a stored one is told. */
export interface ProcessEnd {
  exit_code: number | null;
  signal: string | null;
  timedOut?: boolean;
}

export interface ReadEvent {
  event: AgentEvent;
  source: EventSource;
  synthetic: boolean;
  /** When it happened: the agent's own time, else the clock's, else unknown. */
  at: number | undefined;
  /** The thread that a tape says it belongs to. */
  threadId: string | undefined;
}

export interface ThreadOptions extends FoldOptions {
  /** Every repaired event, in order; the last is `thread.completed`. */
  onEvent?: (read: ReadEvent) => void;
  /** For live streams. A stored log has only the times that the agent wrote. */
  clock?: () => number;
  /** Cleans everything before anybody sees it; unset: nothing is cleaned. One redactor serves one run. */
  redact?: Redactor;
}

/** What a `Date` can hold, in ms. */
const latestDate = 8.64e15;

/** One run from its first event to its verdict: drafts in, repaired and clean events out, folded on the way. */
export class Thread {
  readonly #options: ThreadOptions;
  readonly #repair: Repair;
  readonly #fold: OutcomeFold;
  readonly #notes = new Map<string, Note>();
  #source: EventSource = 'agent';
  #threadId: string | undefined;
  #at: number | undefined;
  #explained = false;

  constructor(options: ThreadOptions = {}) {
    this.#options = options;
    const { redact, onEvent } = options;
    this.#fold = new OutcomeFold(redact === undefined ? options : { ...options, clean: (text) => redact.text(text) });
    const deliver = (event: AgentEvent, synthetic: boolean): void => this.#deliver(event, synthetic);
    // When nobody listens to the events, the outcome is all that leaves, and it is small.
    const isHeard = redact !== undefined && onEvent !== undefined;
    this.#repair = new Repair(isHeard ? (event, synthetic) => redact.push(event, synthetic, deliver) : deliver);
  }

  emit(draft: Draft, origin?: Origin): void {
    if (origin !== undefined) {
      this.#source = origin.source;
      this.#threadId = this.clean(origin.threadId);
    }
    if (draft.type === 'agent.finished' || draft.type === 'limit.reached' || (draft.type === 'error' && draft.fatal))
      this.#explained = true;
    this.#repair.push(draft, origin?.synthetic ?? false);
  }

  /** The time of what is emitted from now on; undefined: nobody said, so the clock decides. */
  at(ms: number | undefined): void {
    this.#at = ms === undefined || Math.abs(ms) <= latestDate ? ms : undefined;
  }

  note(kind: NoteKind, what: string, line?: number): void {
    const clean = this.clean(what);
    const key = `${kind} ${clean}`;
    const known = this.#notes.get(key);
    if (known !== undefined) known.count += 1;
    // A hostile stream can invent any number of type names; the list of notes stays short.
    else if (this.#notes.size < 1000) this.#notes.set(key, { kind, what: clean, count: 1, ...(line ? { line } : {}) });
  }

  /** A text for people, without secrets. */
  clean(text: string): string {
    return this.#options.redact?.text(text) ?? text;
  }

  get notes(): Note[] {
    return [...this.#notes.values()];
  }

  /** Whether the agent itself said how it ended, or what stopped it. */
  get isExplained(): boolean {
    return this.#explained;
  }

  /** Tokens are known, their cost is not: a price table would help. */
  get needsPrice(): boolean {
    return this.#fold.needsPrice;
  }

  /** What is open is closed, the verdict is judged, `thread.completed` is the last event. */
  end(dialect: string, process?: ProcessEnd, price?: Price): RunOutcome {
    this.#repair.end();
    const { redact } = this.#options;
    redact?.end((event, synthetic) => this.#deliver(event, synthetic));
    this.#source = 'runner';
    if (process !== undefined) {
      const reason = process.timedOut === true ? 'timeout' : process.signal === null ? 'exited' : 'signalled';
      this.#repair.push({ type: 'process.ended', exit_code: process.exit_code, signal: process.signal, reason });
    }
    const folded = this.#fold.outcome(dialect, this.notes, price);
    const outcome = redact?.json(folded) ?? folded;
    if (redact !== undefined && redact.count > 0) outcome.provenance.redactions = redact.count;
    this.#deliver(
      {
        type: 'thread.completed',
        status: outcome.status,
        summary: outcome.message !== '' ? outcome.message : (outcome.error_details?.message ?? outcome.verdict.evidence[0]?.detail ?? ''),
        verdict: { class: outcome.verdict.class, exit_code: outcome.verdict.exit_code, evidence: outcome.verdict.evidence },
        final_report: outcome as never,
      },
      false,
    );
    return outcome;
  }

  #deliver(event: AgentEvent, synthetic: boolean): void {
    const at = this.#at ?? this.#options.clock?.();
    this.#fold.apply(event, at);
    this.#options.onEvent?.({ event, source: this.#source, synthetic, at, threadId: this.#threadId });
  }
}
