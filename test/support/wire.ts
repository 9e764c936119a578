import type { Json, JsonObject, Loss } from '../../src/dialects/dialect.ts';
import { findDialect, findWriter } from '../../src/dialects/registry.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import type { Note } from '../../src/outcome/fold.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import type { ProcessEnd } from '../../src/pipeline/thread.ts';
import { Recorder } from '../../src/pipeline/recorder.ts';
import { Writer } from '../../src/pipeline/writer.ts';

export interface Read {
  events: AgentEvent[];
  outcome: RunOutcome;
  notes: Note[];
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export const jsonl = (lines: readonly Json[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** Reads what an agent printed; `from` unset: the dialect must be detected. */
export function readText(text: string, from?: string, more: { stderr?: string; process?: ProcessEnd } = {}): Read {
  const events: AgentEvent[] = [];
  const reader = new Reader({
    ...(from === undefined ? {} : { dialect: findDialect(from) }),
    onEvent: (read) => void events.push(read.event),
  });
  reader.stdout(bytes(text));
  reader.stderr(bytes(more.stderr ?? ''));
  const outcome = reader.end(more.process);
  return { events, outcome, notes: reader.notes };
}

export function readLines(lines: readonly Json[], from?: string, more: { stderr?: string; process?: ProcessEnd } = {}): Read {
  return readText(jsonl(lines), from, more);
}

export interface Written {
  text: string;
  lines: JsonObject[];
  losses: Loss[];
}

/** Writes what `from` said as `to`. */
export function rewrite(text: string, from: string, to: string): Written {
  const { dialect, variant } = findWriter(to);
  const writer = new Writer(dialect, variant);
  const recorder = new Recorder(() => 'thread-1');
  const reader = new Reader({ dialect: findDialect(from), onEvent: (read) => writer.record(recorder.record(read)) });
  reader.stdout(bytes(text));
  reader.end();
  writer.end();
  const out = writer.take();
  const lines = out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JsonObject);
  return { text: out, lines, losses: [...writer.losses.keys()].toSorted() };
}

/** A run told by events of ours, as the tape has them; the end is made by the fold. */
export function writeEvents(events: readonly AgentEvent[], to: string, timestamp: string | null = '2026-03-01T10:00:00.000Z'): Written {
  const envelope = { thread_id: 'thread-1', source: 'agent', synthetic: false, timestamp };
  return rewrite(jsonl(events.map((event, index) => ({ ...event, ...envelope, sequence: index + 1 }) as unknown as Json)), 'runwire', to);
}

export const only = <Type extends AgentEvent['type']>(read: Read, type: Type): Extract<AgentEvent, { type: Type }>[] =>
  read.events.filter((event): event is Extract<AgentEvent, { type: Type }> => event.type === type);
