import type { Decoder, Dialect, JsonObject, NoteKind, Origin } from '../dialects/dialect.ts';
import { codeOfMessage } from '../faults.ts';
import { detectDialect } from '../dialects/registry.ts';
import type { Draft } from '../events/event.ts';
import { BoundedList } from '../outcome/bounded.ts';
import type { Note } from '../outcome/fold.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import type { Price } from '../outcome/usage.ts';
import { PrivateKeyLines } from '../redact/private-key.ts';
import { Framer, type TextCause } from './framer.ts';
import { type ProcessEnd, Thread, type ThreadOptions } from './thread.ts';

export interface ReaderOptions extends ThreadOptions {
  /** The run that these bytes belong to; unset: a run of their own. Given, its options are the ones that count. */
  thread?: Thread;
  /** Unset: detected from the first lines. */
  dialect?: Dialect;
  /** Told before anything is read in it. */
  onDialect?: (dialect: Dialect) => void;
  /** Tests lower it. */
  maxLineBytes?: number;
}

/** Objects that detection may look at before it must decide. */
const headLength = 64;
/** Lines of stderr that are kept as events, the first and the last ones; more is a log file of its own. */
const stderrKept = 200;
const stderrTailKept = 50;

/** The whole pure pipeline as one machine: bytes → lines → events → repaired events → outcome. */
export class Reader {
  readonly #options: ReaderOptions;
  readonly #stdout: Framer;
  readonly #stderr: Framer;
  readonly #thread: Thread;
  #dialect: Dialect | undefined;
  #decoder: Decoder | undefined;
  #head: ({ wire: JsonObject; line: number } | { text: string; cause: TextCause; line: number })[] = [];
  #headCount = 0;
  #stderrHead = new BoundedList<string>(2 * stderrKept);
  #stderrCount = 0;
  #stderrTail: string[] = [];
  #stderrOmitted = 0;
  readonly #stderrKeys = new PrivateKeyLines();
  #stderrFault: { message: string; code: ReturnType<typeof codeOfMessage> } | undefined;
  #line = 0;

  constructor(options: ReaderOptions = {}) {
    this.#options = options;
    this.#thread = options.thread ?? new Thread(options);
    this.#stdout = new Framer(
      {
        value: (wire, line) => this.#wire(wire, line),
        text: (text, cause, line) => this.#text(text, cause, line),
        note: (kind, what, line) => this.#note(kind, what, line),
      },
      options.maxLineBytes,
    );
    this.#stderr = new Framer(
      {
        value: (wire) => this.#guard(() => this.#stderrLine(JSON.stringify(wire), wire)),
        text: (text) => {
          for (const line of text.split('\n')) this.#stderrLine(line);
        },
        note: () => {},
      },
      options.maxLineBytes,
    );
    if (options.dialect !== undefined) this.#choose(options.dialect);
  }

  stdout(chunk: Uint8Array): void {
    this.#stdout.push(chunk);
  }

  /** May come at any time; a stored run's stderr comes after its stdout. */
  stderr(chunk: Uint8Array): void {
    this.#stderr.push(chunk);
  }

  get dialect(): Dialect | undefined {
    return this.#dialect;
  }

  /** Tokens are known, their cost is not: a price table would help. */
  get needsPrice(): boolean {
    return this.#thread.needsPrice;
  }

  get notes(): Note[] {
    return this.#thread.notes;
  }

  /** Ends the run: what is open is closed, the verdict is judged, `thread.completed` is the last event. */
  end(process?: ProcessEnd, price?: Price): RunOutcome {
    this.finish(process);
    return this.#thread.end(this.#dialect?.id ?? 'unknown', process, price);
  }

  /** No more bytes come, but the thread may go on: what was held back is said. */
  finish(process?: ProcessEnd): void {
    this.#stdout.end();
    this.#stderr.end();
    if (this.#decoder === undefined) this.#decide();
    for (const text of this.#stderrHead.toArray()) this.#decodeStderr(text);
    this.#stderrOmitted += this.#stderrHead.omitted;
    this.#stderrHead = new BoundedList();
    this.#endStderr();
    this.#guard(() => this.#decoder?.end());
    this.#explainExit(process);
  }

  #wire(wire: JsonObject, line: number): void {
    if (this.#decoder !== undefined) return this.#decode(wire, line);
    this.#head.push({ wire, line });
    this.#headCount += 1;
    const found = detectDialect(this.#headObjects(), []);
    if (found !== undefined && found.sure >= 0.9) this.#choose(found.dialect);
    else if (this.#headCount >= headLength) this.#decide();
  }

  #text(text: string, cause: TextCause, line: number): void {
    if (this.#decoder === undefined && this.#dialect === undefined && this.#head.length < headLength * 4) {
      this.#head.push({ text, cause, line });
      return;
    }
    this.#thread.emit({ type: 'log', stream: 'stdout', cause, text });
  }

  #headObjects(): JsonObject[] {
    return this.#head.flatMap((each) => ('wire' in each ? [each.wire] : []));
  }

  #decide(): void {
    const cut = this.#head.flatMap((each) => ('cause' in each && each.cause === 'cut' ? [each.text] : []));
    const found = detectDialect(this.#headObjects(), this.#stderrHead.toArray(), this.#headCount === 0 ? cut : []);
    if (found !== undefined) return this.#choose(found.dialect);
    if (this.#headCount > 0) this.#note('unrecognised', 'no known dialect claims these lines; name one with --from', 1);
    this.#choose(undefined);
  }

  #choose(dialect: Dialect | undefined): void {
    this.#dialect = dialect;
    if (dialect !== undefined) this.#options.onDialect?.(dialect);
    const sink = {
      emit: (event: Draft, origin?: Origin) => this.#thread.emit(event, origin),
      at: (ms: number | undefined) => this.#thread.at(ms),
      unknown: (wire: JsonObject) => this.#unknown(wire),
      note: (kind: NoteKind, what: string) => this.#note(kind, what),
    };
    this.#decoder = dialect === undefined ? { line: sink.unknown, end: () => {} } : dialect.decoder(sink);
    const head = this.#head;
    this.#head = [];
    for (const each of head) {
      if ('wire' in each) this.#decode(each.wire, each.line);
      else this.#thread.emit({ type: 'log', stream: 'stdout', cause: each.cause, text: each.text });
    }
  }

  #decode(wire: JsonObject, line: number): void {
    const decoder = this.#decoder as Decoder;
    this.#line = line;
    if (this.#options.clock !== undefined) this.#thread.at(undefined);
    try {
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

  /** Only absurd nesting gets here (the stack ends before the line does); one line must not cost the run. */
  #survive(error: unknown, line: number): void {
    if (!(error instanceof RangeError)) throw error;
    this.#note('broken', 'line nested too deeply', line);
    this.#thread.emit({ type: 'log', stream: 'stdout', cause: 'broken', text: 'line nested too deeply' });
  }

  #unknown(wire: JsonObject): void {
    this.#note('unrecognised', `line of type ${typeof wire.type === 'string' ? nameOf(this.#thread.clean(wire.type)) : 'unknown'}`);
    this.#thread.emit({ type: 'line.unknown', dialect: this.#dialect?.id ?? 'unknown', wire });
  }

  #stderrLine(text: string, wire?: JsonObject): void {
    if (text.trim() === '') return;
    if (this.#decoder === undefined) {
      // Not decided yet: stderr may be all there is to detect the dialect from.
      this.#stderrHead.push(text);
      return;
    }
    this.#decodeStderr(text, wire);
  }

  #decodeStderr(text: string, known?: JsonObject): void {
    const wire = known ?? (text.startsWith('{') ? tryObject(text) : undefined);
    let understood = false;
    this.#guard(() => {
      understood = this.#decoder?.stderr?.(text, wire) ?? false;
    });
    if (understood) return;
    const plain = stripTerminal(text);
    const code = codeOfMessage(plain);
    if (code !== 'unknown') this.#stderrFault ??= { message: plain, code };
    this.#stderrCount += 1;
    if (this.#stderrCount > stderrKept) return this.#holdStderr(text);
    this.#stderrKeys.isBody(text);
    this.#thread.emit({ type: 'log', stream: 'stderr', text });
  }

  #holdStderr(text: string): void {
    this.#stderrTail.push(text);
    if (this.#stderrTail.length <= stderrTailKept) return;
    this.#stderrKeys.isBody(this.#stderrTail.shift() ?? '');
    this.#stderrOmitted += 1;
  }

  /** A program that fails says why in its last lines. */
  #endStderr(): void {
    if (this.#stderrOmitted > 0) {
      // The rest of a private key whose first line is left out could not be recognised.
      const rest = this.#stderrTail.findIndex((text) => !this.#stderrKeys.isBody(text));
      this.#stderrOmitted += this.#stderrTail.splice(0, rest === -1 ? stderrTailKept : rest).length;
      this.#thread.emit({ type: 'log', stream: 'stderr', text: `[… ${this.#stderrOmitted} lines …]` });
    }
    for (const text of this.#stderrTail) this.#thread.emit({ type: 'log', stream: 'stderr', text });
    this.#stderrTail = [];
  }

  /** A failed process that said nothing on stdout: its exit code or its stderr is all the explanation there is. */
  #explainExit(process: ProcessEnd | undefined): void {
    if (this.#thread.isExplained || process === undefined || process.requested_signal !== undefined) return;
    const code = process.exit_code;
    if (code === null || code === 0 || code === 130 || code === 143) return;
    const meaning = this.#dialect?.exitMeaning?.(code);
    if (meaning === undefined && this.#stderrFault === undefined) return;
    const fault = this.#stderrFault;
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

/** A type name as a note may show it: short, and without anything a terminal would obey. */
function nameOf(type: string): string {
  return `"${type.slice(0, 60).replace(/[^\w.:/ -]/g, '?')}"`;
}

function tryObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

// eslint-disable-next-line no-control-regex -- colours are what it removes
const colours = /\u001b\[[0-9;]*m/g;

function stripTerminal(text: string): string {
  return text.replace(colours, '');
}
