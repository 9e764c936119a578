import type { Draft } from '../../../events/event.ts';
import type { DecoderSink } from '../../dialect.ts';
import type { JsonObject } from '../../../json/json.ts';
import { parseObject } from '../../../json/parse.ts';
import { object, string } from '../../../json/read.ts';
import { chatter } from '../words.ts';
import { isErrorDocument, readDocument } from './document.ts';
import { codeOf } from './ending.ts';

const retryWording = /^Attempt (\d{1,9}) failed with status (\d{1,9})\. Retrying/;
const errorMark = '[ERROR] ';
const warningMark = '[WARNING] ';
/** An error document has about a dozen lines; anything this long is not one. */
const maxHeld = 200;

/** Retries are reported only on stderr, and so is every failure of `--output-format json`. */
export class Stderr {
  readonly #sink: DecoderSink;
  #retry: { attempt: number; status: number } | undefined;
  /** Lines of a document that starts after `[ERROR] `. */
  #held: string[] = [];
  #hasFailed = false;
  /** Retries reported before the agent has introduced itself; a failed run in json mode does so only at the end. */
  #early: (Draft & { type: 'retry.scheduled' })[] | undefined = [];

  constructor(sink: DecoderSink) {
    this.#sink = sink;
  }

  /** The agent has named its session. */
  introduced(): void {
    const waiting = this.#early ?? [];
    this.#early = undefined;
    for (const each of waiting) this.#sink.emit(each);
  }

  line(text: string, wire?: JsonObject): boolean {
    if (this.#held.length > 0) return this.#hold(text);
    if (wire !== undefined) return this.#document(wire);
    this.#tellRetry();
    if (chatter.some((start) => text.startsWith(start))) return true;
    const failure = retryWording.exec(text);
    if (failure !== null) {
      this.#retry = { attempt: Number(failure[1]), status: Number(failure[2]) };
      return true;
    }
    if (text.startsWith(warningMark)) {
      this.#sink.emit({ type: 'log', stream: 'stderr', level: 'warning', text: text.slice(warningMark.length) });
      return true;
    }
    if (!text.startsWith(`${errorMark}{`)) return false;
    const rest = text.slice(errorMark.length);
    const whole = parseObject(rest);
    return whole === undefined ? this.#hold(rest) : this.#document(whole);
  }

  end(): void {
    this.#tellRetry();
    this.introduced();
    this.#releaseHeld();
  }

  #tellRetry(cause?: string): void {
    if (this.#retry === undefined) return;
    const { attempt, status } = this.#retry;
    this.#retry = undefined;
    const words = cause ?? `HTTP ${status}`;
    const event = { type: 'retry.scheduled', attempt, code: codeOf(words, undefined, status), cause: words } as const;
    if (this.#early !== undefined && this.#early.length < maxHeld) this.#early.push(event);
    else this.#sink.emit(event);
  }

  #document(wire: JsonObject): boolean {
    if (isErrorDocument(wire)) {
      // Printed twice when listeners are attached: bare, and again after `[ERROR] `.
      if (!this.#hasFailed) readDocument(this.#sink, wire, () => this.introduced());
      this.#hasFailed = true;
      return true;
    }
    if (this.#retry === undefined) return false;
    this.#tellRetry(string(object(wire.error).message));
    return true;
  }

  #hold(text: string): boolean {
    this.#held.push(text);
    if (text === '}' || this.#held.length >= maxHeld) this.#releaseHeld();
    return true;
  }

  #releaseHeld(): void {
    const text = this.#held.join('\n');
    this.#held = [];
    if (text === '') return;
    const wire = parseObject(text);
    if (wire === undefined || !this.#document(wire))
      this.#sink.emit({ type: 'log', stream: 'stderr', level: 'error', text });
  }
}
