import type { JsonObject } from '../json/json.ts';
import type { Draft, ErrorCode } from '../events/event.ts';
import { codeOfMessage } from '../outcome/faults.ts';
import { BoundedList } from '../outcome/bounded.ts';
import { PrivateKeyLines } from '../redact/private-key.ts';
import { SecretLines } from '../redact/secret-lines.ts';

/** How many lines are kept as events, from the beginning and from the end; more than that belongs in a log file. */
const mostFirst = 200;
const mostLast = 50;

interface StderrReader {
  /** Whether the dialect understands this line, or this whole document. */
  understands(text: string, wire: JsonObject | undefined): boolean;
  emit(draft: Draft): void;
}

/** What a process wrote to stderr, line by line: some of it its dialect understands, the rest becomes logs, and one line may explain a failure. */
export class StderrLines {
  readonly #reader: StderrReader;
  #held = new BoundedList<string>(2 * mostFirst);
  #count = 0;
  #last: string[] = [];
  #omitted = 0;
  readonly #keys = new PrivateKeyLines();
  /** All lines in their order; those that are part of a secret explain nothing. */
  readonly #secrets = new SecretLines();
  #fault: { message: string; code: ErrorCode } | undefined;

  constructor(reader: StderrReader) {
    this.#reader = reader;
  }

  /** A line that came before the dialect was known, and is read at the end. */
  hold(text: string): void {
    this.#held.push(text);
  }

  /** stderr may be all there is for detecting the dialect. */
  get held(): readonly string[] {
    return this.#held.toArray();
  }

  /** The first line that names a fault. */
  get fault(): { message: string; code: ErrorCode } | undefined {
    return this.#fault;
  }

  read(text: string, document?: JsonObject): void {
    const wire = document ?? (text.startsWith('{') ? tryObject(text) : undefined);
    if (this.#reader.understands(text, wire)) return;
    const plain = text.replace(colours, '');
    const code = codeOfMessage(plain);
    const isSecret = this.#secrets.kindOf(text) !== undefined;
    if (code !== 'unknown' && !isSecret) this.#fault ??= { message: plain, code };
    this.#count += 1;
    if (this.#count > mostFirst) return this.#keepLast(text);
    this.#keys.isBody(text);
    this.#log(text);
  }

  /** Emits the last lines, in which a failing program says why. */
  end(): void {
    for (const text of this.#held.toArray()) this.read(text);
    this.#omitted += this.#held.omitted;
    this.#held = new BoundedList();
    if (this.#omitted > 0) {
      // The rest of a private key could not be recognised without its first line, so it is left out too.
      const rest = this.#last.findIndex((text) => !this.#keys.isBody(text));
      this.#omitted += this.#last.splice(0, rest === -1 ? mostLast : rest).length;
      this.#log(`[… ${this.#omitted} lines …]`);
    }
    for (const text of this.#last) this.#log(text);
    this.#last = [];
  }

  #keepLast(text: string): void {
    this.#last.push(text);
    if (this.#last.length <= mostLast) return;
    this.#keys.isBody(this.#last.shift() ?? '');
    this.#omitted += 1;
  }

  #log(text: string): void {
    this.#reader.emit({ type: 'log', stream: 'stderr', text });
  }
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
