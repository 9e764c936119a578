import type { Decoder, Dialect, NoteKind, Origin } from '../dialects/dialect.ts';
import type { JsonObject } from '../json/json.ts';
import { Utf8 } from '../json/utf8.ts';
import { detectDialect } from '../dialects/registry.ts';
import type { Draft } from '../events/event.ts';
import type { Note } from '../outcome/fold.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import type { Price } from '../outcome/price.ts';
import { signalOf } from '../outcome/process-signal.ts';
import { Again } from './again.ts';
import { Cast, isCastHeader } from './cast.ts';
import { type Enveloped, openEnvelope } from './envelope.ts';
import { Framer, type FrameSink, keptOfOversize, type TextCause } from './framer.ts';
import { StderrLines } from './stderr-lines.ts';
import { type ProcessEnd, Thread, type ThreadOptions } from './thread.ts';
import { Twice } from './twice.ts';

/** With a `clock`, the agent is running now: a line without a timestamp is from this moment. */
export interface ReaderOptions extends ThreadOptions {
  /** Unset: detected from the first lines. */
  dialect?: Dialect;
  /** The run resumes a session, whose file has this total. */
  resumed?: { total: JsonObject | undefined } | undefined;
  /** Called before anything is decoded in that dialect. */
  onDialect?: (dialect: Dialect) => void;
  /** Tests lower it. */
  maxLineBytes?: number;
}

/** The most objects on one line of a running agent: even two mean a lost line feed. */
const mostLiveObjects = 100_000;
/** How many objects detection may look at before it must decide. */
const headLength = 64;

/** The whole pure pipeline as one machine: bytes → lines → drafts → repaired and clean records → outcome. */
export class Reader {
  readonly #options: ReaderOptions;
  readonly #thread: Thread;
  readonly #isLive: boolean;
  readonly #stdout: Framer;
  readonly #utf8 = { stdout: new Utf8(), stderr: new Utf8() };
  /** Reads lines that came in a log collector's records; unset: there were none. */
  #enveloped: Framer | undefined;
  /** Unset: the input is no recording of a terminal. */
  #cast: Cast | undefined;
  /** When the line that is being read was written, as its envelope says. */
  #writtenAt: number | undefined;
  readonly #stderr: Framer;
  #dialect: Dialect | undefined;
  #decoder: Decoder | undefined;
  /** `shown`: what detection sees of a line; empty for a line that it cannot examine. */
  #head: (
    | { wire: JsonObject; shown: JsonObject; line: number; at: number | undefined }
    | { text: string; cause: TextCause; line: number }
  )[] = [];
  #headCount = 0;
  #outerCount = 0;
  readonly #stderrLines: StderrLines;
  #line = 0;
  readonly #twice = new Twice();
  /** Unset for a running agent, whose lines are not held back. */
  readonly #again: Again | undefined;
  #isAfterText = false;
  #hasAll = false;

  /** `thread`: the run that these bytes are the next part of; default: a run of their own. */
  constructor(options: ReaderOptions = {}, thread: Thread = new Thread(options)) {
    this.#options = options;
    this.#thread = thread;
    this.#isLive = options.clock !== undefined;
    if (!this.#isLive) this.#again = new Again();
    this.#stdout = new Framer(
      {
        ...this.#lines,
        value: (wire, line) => this.#outerWire(wire, line),
        enveloped: (line) => this.#unwrap(line),
        isInside: () => this.#enveloped?.isInDocument === true,
        list: (list) => this.#shown(list),
      },
      options.maxLineBytes,
      this.#isLive ? mostLiveObjects : undefined,
    );
    this.#stderr = new Framer(
      {
        value: (wire) => this.#guard(() => this.#stderrLine(JSON.stringify(wire), wire)),
        text: (text, cause) => {
          for (const line of (cause === 'oversize' ? this.#kept(text) : text).split('\n')) this.#stderrLine(line);
        },
        note: () => {},
      },
      options.maxLineBytes,
    );
    this.#stderrLines = new StderrLines({
      understands: (text, wire) => this.#understands(text, wire),
      emit: (draft) => thread.emit(draft),
    });
    if (options.dialect !== undefined) this.#choose(options.dialect);
  }

  get #lines(): FrameSink {
    return {
      value: (wire, line) => this.#wire(wire, line),
      text: (text, cause, line) => this.#text(text, cause, line),
      note: (kind, what, line) => this.#note(kind, what, line),
    };
  }

  stdout(chunk: Uint8Array): void {
    this.#stdout.push(this.#utf8.stdout.push(chunk));
  }

  /** May be called at any time; a stored run's stderr comes after its stdout. */
  stderr(chunk: Uint8Array): void {
    this.#stderr.push(this.#utf8.stderr.push(chunk));
  }

  get dialect(): Dialect | undefined {
    return this.#dialect;
  }

  /** What it read may have stopped inside a message, of which the session's own file may tell more. */
  get isCut(): boolean {
    return this.#decoder?.isCut?.() === true;
  }

  /** A line of that file. */
  complete(wire: JsonObject): void {
    this.#guard(() => this.#decoder?.complete?.(wire));
  }

  /** The input is over: an unterminated last line and a complete document are read too. The thread may continue with another attempt. */
  endInput(process?: ProcessEnd): void {
    if (this.#hasAll) return;
    this.#hasAll = true;
    this.#stdout.push(this.#utf8.stdout.end());
    this.#stdout.end();
    this.#enveloped?.end();
    this.#stderr.push(this.#utf8.stderr.end());
    this.#stderr.end();
    if (this.#decoder === undefined) this.#decide();
    this.#stderrLines.end();
    for (const each of this.#again?.end() ?? []) this.#decodeNow(each.wire, each.line, each.at);
    if (this.#again?.wasCopied === true) this.#note('guessed', 'the same stream comes twice: read once');
    this.#guard(() => this.#decoder?.end());
    this.#explainExit(process);
  }

  /** Tokens are known but their cost is not: a price table would help. Final only once the input has ended. */
  get needsPrice(): boolean {
    return this.#thread.needsPrice;
  }

  get notes(): Note[] {
    return this.#thread.notes;
  }

  /** Ends the run: closes what is open, determines the verdict and emits `thread.completed` as the last record. */
  end(process?: ProcessEnd, price?: Price): RunOutcome {
    this.endInput(process);
    return this.#thread.end(this.#dialect?.id ?? 'unknown', process, price);
  }

  /** Only the first objects are checked for an envelope, and later ones if an envelope was found: ordinary agent output is not searched. */
  #outerWire(wire: JsonObject, line: number): void {
    this.#outerCount += 1;
    if (this.#outerCount === 1 && isCastHeader(wire)) {
      this.#cast = new Cast(wire);
      return;
    }
    let lines: readonly Enveloped[] | undefined;
    if (this.#outerCount <= headLength || this.#enveloped !== undefined)
      this.#guard(() => void (lines = openEnvelope(wire, this.#enveloped?.isInDocument === true)));
    if (lines === undefined) return this.#wire(wire, line);
    for (const each of lines) this.#unwrap(each);
  }

  /** An event of a terminal's recording. */
  #shown(list: readonly unknown[]): boolean {
    const cast = this.#cast ?? new Cast();
    const event = cast.take(list);
    if (event === undefined) return false;
    this.#cast = cast;
    if (event !== null) this.#unwrap(event);
    return true;
  }

  #unwrap({ text, isPartial, stream, at }: Enveloped): void {
    this.#enveloped ??= new Framer(this.#lines, this.#options.maxLineBytes);
    this.#writtenAt = at;
    const bytes = new TextEncoder().encode(isPartial || text.endsWith('\n') ? text : `${text}\n`);
    (stream === 'stderr' ? this.#stderr : this.#enveloped).push(bytes);
  }

  #wire(wire: JsonObject, line: number): void {
    if (this.#decoder !== undefined) return this.#decode(wire, line);
    const entry = { wire, shown: wire, line, at: this.#writtenAt };
    this.#head.push(entry);
    this.#headCount += 1;
    let found = this.#detect([]);
    if (found === 'failed') {
      entry.shown = {};
      found = undefined;
    }
    if (found !== undefined && found.sure >= 0.9) this.#choose(found.dialect);
    else if (this.#headCount >= headLength) this.#decide();
  }

  #text(text: string, cause: TextCause, line: number): void {
    if (this.#decoder === undefined && this.#dialect === undefined && this.#head.length < headLength * 4) {
      this.#head.push({ text, cause, line });
      return;
    }
    this.#log(text, cause);
  }

  #log(line: string, cause: TextCause): void {
    this.#isAfterText = true;
    const text = cause === 'oversize' ? this.#kept(line) : line;
    this.#thread.emit({ type: 'log', stream: 'stdout', cause, text });
    // A stream that stops in the middle of a line is reported separately.
    if (cause !== 'cut') this.#decoder?.text?.(text);
  }

  #kept(text: string): string {
    return this.#thread.quote(text, Math.min(this.#options.maxLineBytes ?? keptOfOversize, keptOfOversize), '');
  }

  #headObjects(): JsonObject[] {
    return this.#head.flatMap((each) => ('wire' in each ? [each.shown] : []));
  }

  #decide(): void {
    const cut = this.#head.flatMap((each) => ('cause' in each && each.cause === 'cut' ? [each.text] : []));
    const found = this.#detect(this.#stderrLines.held, this.#headCount === 0 ? cut : []);
    if (found !== undefined && found !== 'failed') return this.#choose(found.dialect);
    if (this.#headCount > 0) this.#note('unrecognised', 'no known dialect claims these lines; name one with --from', 1);
    this.#choose(undefined);
  }

  /** An absurdly nested line must not prevent detection for the others. */
  #detect(stderr: readonly string[], cut: readonly string[] = []): ReturnType<typeof detectDialect> | 'failed' {
    try {
      return detectDialect(this.#headObjects(), stderr, cut);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return 'failed';
    }
  }

  #choose(dialect: Dialect | undefined): void {
    this.#dialect = dialect;
    if (dialect !== undefined) this.#options.onDialect?.(dialect);
    const sink = {
      emit: (event: Draft, origin?: Origin) => this.#emit(event, origin),
      at: (ms: number | undefined) => this.#thread.at(ms),
      unknown: (wire: JsonObject) => this.#unknown(wire),
      note: (kind: NoteKind, what: string) => this.#note(kind, what),
      quote: (text: string, most: number, ellipsis?: string) => this.#thread.quote(text, most, ellipsis),
      quoteLine: (line: string, most: number) => this.#thread.quoteLine(line, most),
    };
    this.#decoder = dialect === undefined ? { line: sink.unknown, end: () => {} } : dialect.decoder(sink);
    if (this.#options.resumed !== undefined) this.#decoder.resume?.(this.#options.resumed.total);
    const head = this.#head;
    this.#head = [];
    for (const each of head) {
      if ('wire' in each) this.#decode(each.wire, each.line, each.at);
      else this.#log(each.text, each.cause);
    }
  }

  #emit(event: Draft, origin?: Origin): void {
    // A run that is a single line may be followed by another that says the same.
    if ((event.type === 'agent.finished' || event.type === 'text.completed') && this.#twice.isFirst) this.#twice.stop();
    this.#thread.emit(event, origin);
  }

  #decode(wire: JsonObject, line: number, at = this.#writtenAt): void {
    if (this.#again === undefined) return this.#decodeNow(wire, line, at);
    const isApart = this.#isAfterText;
    this.#isAfterText = false;
    if (this.#again.passes(isApart)) return this.#decodeNow(wire, line, at);
    for (const each of this.#again.take({ wire, line, at }, isApart)) this.#decodeNow(each.wire, each.line, each.at);
  }

  #decodeNow(wire: JsonObject, line: number, at: number | undefined): void {
    const decoder = this.#decoder as Decoder;
    this.#line = line;
    if (this.#isLive || at !== undefined) this.#thread.at(at);
    try {
      if (this.#twice.isAgain(wire)) return this.#note('guessed', 'every line comes twice: read once');
      decoder.line(wire);
    } catch (error) {
      this.#survive(error, line);
    }
  }

  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#survive(error, 0);
    }
  }

  /** Only absurd nesting gets here (it overflows the stack); one line must not fail the run. */
  #survive(error: unknown, line: number): void {
    if (!(error instanceof RangeError)) throw error;
    this.#note('broken', 'line nested too deeply', line);
    this.#thread.emit({ type: 'log', stream: 'stdout', cause: 'broken', text: 'line nested too deeply' });
  }

  #unknown(wire: JsonObject): void {
    this.#note(
      'unrecognised',
      `line of type ${typeof wire.type === 'string' ? nameOf(this.#thread.quote(wire.type, 60)) : 'unknown'}`,
    );
    this.#thread.emit({ type: 'line.unknown', dialect: this.#dialect?.id ?? 'unknown', wire });
  }

  #stderrLine(text: string, wire?: JsonObject): void {
    if (text.trim() === '') return;
    if (this.#decoder === undefined) this.#stderrLines.hold(text);
    else this.#stderrLines.read(text, wire);
  }

  #understands(text: string, wire: JsonObject | undefined): boolean {
    let isUnderstood = false;
    this.#guard(() => {
      isUnderstood = this.#decoder?.stderr?.(text, wire) ?? false;
    });
    return isUnderstood;
  }

  /** For a failed process that explained nothing on stdout: its exit code or stderr is the only explanation there is. */
  #explainExit(process: ProcessEnd | undefined): void {
    if (this.#thread.isExplained || process === undefined || process.requested_signal !== undefined) return;
    const code = process.exit_code;
    if (code === null || code === 0 || signalOf(process) !== undefined) return;
    const meaning = this.#dialect?.exitMeaning?.(code);
    const { fault } = this.#stderrLines;
    if (meaning === undefined && fault === undefined) return;
    this.#thread.emit({
      type: 'error',
      scope: 'process',
      code: meaning ?? fault?.code ?? 'unknown',
      message: fault?.message ?? `exit code ${code}`,
      fatal: true,
    });
  }

  #note(kind: NoteKind, what: string, line = this.#line): void {
    this.#thread.note(kind, what, line);
  }
}

/** A type name as a note may show it: without terminal control sequences. */
function nameOf(type: string): string {
  return `"${type.replace(/[^\w.:/ …-]/g, '?')}"`;
}
