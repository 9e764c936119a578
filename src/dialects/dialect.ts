import type { z } from 'zod';
import type { Draft, ErrorCode, EventRecord, EventSource } from '../events/event.ts';
import type { JsonObject } from '../json/json.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import type { ToolKinds } from './kit/tool-kinds.ts';

/** What a conversion could not carry over. A closed list, so that losses can be counted and compared. */
export type Loss =
  | 'text'
  | 'text_deltas'
  | 'reasoning'
  | 'turn_boundary'
  | 'tool_call'
  | 'tool_name'
  | 'tool_kind'
  | 'tool_args'
  | 'tool_status'
  | 'tool_output'
  | 'tool_progress'
  | 'exit_code'
  | 'sub_agent'
  | 'file_edit'
  | 'permission'
  | 'usage'
  | 'token_split'
  | 'cost'
  | 'model'
  | 'session'
  | 'prompt'
  | 'retry'
  | 'limit'
  | 'rate_limit'
  | 'model_request'
  | 'network'
  | 'lineage'
  | 'expectation'
  | 'log'
  | 'error'
  | 'process'
  | 'unknown_line'
  | 'verdict'
  | 'time';

export type NoteKind = 'unrecognised' | 'guessed' | 'broken' | 'lost';

export interface Origin {
  source: EventSource;
  synthetic: boolean;
  threadId: string;
  /** 0: the event had none. */
  sequence: number;
  /** A delta whose block ends with the same text. */
  isWhole?: boolean;
}

/** Where a decoder puts what it understood. */
export interface DecoderSink {
  /** `origin` is for tapes only: what the first reading already knew about this event. */
  emit(event: Draft, origin?: Origin): void;
  /** The agent's own time (ms since the epoch) for everything emitted from now on; undefined: no longer known. */
  at(ms: number | undefined): void;
  /** The line is well-formed but of a kind this dialect does not know: kept whole as `line.unknown`. */
  unknown(wire: JsonObject): void;
  note(kind: NoteKind, what: string): void;
  /** The first characters of a text, for a message that quotes it. No decoder cuts a text itself: secrets must be taken out before. */
  quote(text: string, most: number, ellipsis?: string): string;
  /** The same for one of the lines of a longer text. */
  quoteLine(line: string, most: number): string;
}

/** A single-use machine: wire objects in, events out. No clock, no I/O, no randomness; it must not throw on any JSON. */
export interface Decoder {
  line(wire: JsonObject): void;
  /** Called before the first line of a run that resumes a session: the last total in the session's own file, if it has one. */
  resume?(total: JsonObject | undefined): void;
  /**
   * A line of stderr, or a whole JSON document found there (then `wire` is set).
   * Returns true when the line is fully understood; otherwise it is kept as a `log`.
   */
  stderr?(text: string, wire?: JsonObject): boolean;
  /** Text found on stdout in place of an object; it is kept as a `log` whatever this makes of it. */
  text?(text: string): void;
  /** stdout may have stopped inside a message, of which the session's own file may tell more. */
  isCut?(): boolean;
  /** A line of that file. */
  complete?(wire: JsonObject): void;
  /** stdout has ended: emit what was held back. Repair closes what is still open. */
  end(): void;
}

export interface EncoderSink {
  line(wire: JsonObject): void;
  lose(what: Loss): void;
}

/** A single-use machine: repaired records in (the last is always `thread.completed`), wire objects out. */
export interface Encoder {
  record(record: EventRecord): void;
  /** Called before the first record: another run precedes this one on the wire, and has ended. */
  follow?(): void;
  /** In a live run: no further record is ready, so write what was held back for one. */
  flush?(): void;
  /** All records are in, and this is their outcome: the last lines can be written. */
  end(outcome: RunOutcome): void;
}

/** How a dialect's objects become bytes: one per line, one JSON array, one indented document, or one per server-sent event. */
type Layout = 'lines' | 'array' | 'document' | 'sse';

export interface Variant {
  readonly name: string;
  readonly layout: Layout;
  /** Everything is in one object, as in a document. */
  readonly isOneObject?: true;
  /** For server-sent events: the data of the event after the last object. */
  readonly farewell?: string;
  /** The headers that an HTTP response needs besides its content type. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Dialect {
  readonly id: string;
  /** The program that speaks it, and what we read and write: the generated table in docs/dialects.md. */
  readonly about: {
    readonly agent: string;
    /** Absent: can be written but not read. */
    readonly reads?: string;
    readonly writes?: string;
  };
  /** How sure, from the first objects on stdout (and the first lines of stderr): 0 = not mine, 1 = certain. */
  detect(head: readonly JsonObject[], stderr: readonly string[]): number;
  /** The same for a document that was cut off, of which only the beginning is left. */
  detectText?(text: string): number;
  decoder(sink: DecoderSink): Decoder;
  /** Absent: can be read but not written. The first variant is the default. */
  encoder?(sink: EncoderSink, variant: string): Encoder;
  readonly variants?: readonly Variant[];
  /** What the tools of this agent do, by their names on the wire. */
  readonly toolKinds?: ToolKinds;
  /** Escape everything outside ASCII when writing. */
  readonly ascii?: boolean;
  /** A turn is the whole run, however often the model is called. */
  readonly turnIsRun?: true;
  /** Its stream just stops: a complete answer by the model may be the last line. */
  readonly hasNoLastWord?: true;
  /** What its encoder writes as one: several `turns` of one run, each with its end, or `all` runs of a stream. Unset: one of each. */
  readonly joins?: 'turns' | 'all';
  /** The totals at its end are those of the session, including the runs before a resume. */
  readonly countsSessions?: true;
  /** What a non-zero exit code of this program means, where it says more than "failed". */
  exitMeaning?(code: number): ErrorCode | undefined;
  /** Whether an object only repeats the one before it. */
  isRepetition?(wire: JsonObject, before: JsonObject | undefined): boolean;
  /** The schema of one wire object; loaded only by `validate` and `schema`. */
  schema(): Promise<z.ZodType>;
}
