import type { Draft } from '../../events/event.ts';
import type { DecoderSink, JsonObject } from '../dialect.ts';
import { isObject, object, string } from '../read.ts';
import { isErrorDocument, readDocument } from './document.ts';
import { codeOf } from './faults.ts';

/** What every run prints and nobody needs. */
const chatter = [
  'Warning: Basic terminal detected',
  'Warning: 256-color support not detected',
  'Warning: True color (24-bit) support not detected',
  'YOLO mode is enabled.',
  'Ripgrep is not available.',
  'Loaded cached credentials.',
  '[STARTUP] ',
];
const retryWording = /^Attempt (\d+) failed with status (\d+)\. Retrying/;
const errorMark = '[ERROR] ';
const warningMark = '[WARNING] ';
/** An error document is a dozen lines; more is not one. */
const maxHeld = 200;

/** Retries are told on stderr alone, and so is every failure of `--output-format json`. */
export function stderrReader(sink: DecoderSink): { line(text: string, wire?: JsonObject): boolean; introduced(): void; end(): void } {
  let retry: { attempt: number; status: number } | undefined;
  /** Lines of a document that starts after `[ERROR] `. */
  let held: string[] = [];
  let failed = false;
  /** Retries that come before the agent has introduced itself, which a failure in json mode does last. */
  let early: (Draft & { type: 'retry.scheduled' })[] | undefined = [];

  function introduced(): void {
    const waiting = early ?? [];
    early = undefined;
    for (const each of waiting) sink.emit(each);
  }

  function flushRetry(cause?: string): void {
    if (retry === undefined) return;
    const { attempt, status } = retry;
    retry = undefined;
    const words = cause ?? `HTTP ${status}`;
    const event = { type: 'retry.scheduled', attempt, code: codeOf(words, undefined, status), cause: words } as const;
    if (early !== undefined && early.length < maxHeld) early.push(event);
    else sink.emit(event);
  }

  function document(wire: JsonObject): boolean {
    if (isErrorDocument(wire)) {
      // Printed twice when listeners are attached: bare, and again behind the mark.
      if (!failed) readDocument(sink, wire, introduced);
      failed = true;
      return true;
    }
    if (retry === undefined) return false;
    flushRetry(string(object(wire.error).message));
    return true;
  }

  function hold(text: string): boolean {
    held.push(text);
    if (text === '}' || held.length >= maxHeld) releaseHeld();
    return true;
  }

  function releaseHeld(): void {
    const lines = held;
    held = [];
    if (lines.length === 0) return;
    const wire = parse(lines.join('\n'));
    if (wire === undefined || !document(wire)) {
      sink.emit({ type: 'log', stream: 'stderr', level: 'error', text: lines.join('\n') });
    }
  }

  function line(text: string, wire?: JsonObject): boolean {
    if (held.length > 0) return hold(text);
    if (wire !== undefined) return document(wire);
    flushRetry();
    if (chatter.some((start) => text.startsWith(start))) return true;
    const failure = retryWording.exec(text);
    if (failure !== null) {
      retry = { attempt: Number(failure[1]), status: Number(failure[2]) };
      return true;
    }
    if (text.startsWith(warningMark)) {
      sink.emit({ type: 'log', stream: 'stderr', level: 'warning', text: text.slice(warningMark.length) });
      return true;
    }
    if (!text.startsWith(`${errorMark}{`)) return false;
    const rest = text.slice(errorMark.length);
    const whole = parse(rest);
    return whole === undefined ? hold(rest) : document(whole);
  }

  return {
    line,
    introduced,
    end() {
      flushRetry();
      introduced();
      releaseHeld();
    },
  };
}

function parse(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
