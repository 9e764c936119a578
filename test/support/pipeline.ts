import type { Dialect, Loss } from '../../src/dialects/dialect.ts';
import type { JsonObject } from '../../src/json/json.ts';
import { findWriter } from '../../src/dialects/registry.ts';
import type { AgentEvent, EventOf, EventType } from '../../src/events/event.ts';
import type { Note } from '../../src/outcome/fold.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import type { ProcessEnd } from '../../src/pipeline/thread.ts';
import { Writer } from '../../src/pipeline/writer.ts';
import { eventOf } from './records.ts';

export interface Printed {
  stdout: string;
  stderr?: string;
  exit?: ProcessEnd;
  /** Unset: detected. */
  dialect?: Dialect;
}

export interface Passed {
  events: AgentEvent[];
  outcome: RunOutcome;
  notes: Note[];
  /** The same run in the dialect that was asked for. */
  text: string;
  losses: Loss[];
}

/** What an agent printed, through the whole pipeline and, if a writer is named, out again. */
export function pass({ stdout, stderr, exit, dialect }: Printed, to?: string): Passed {
  const events: AgentEvent[] = [];
  const target = to === undefined ? undefined : findWriter(to);
  const writer = target === undefined ? undefined : new Writer(target.dialect, target.variant);
  const reader = new Reader({
    ...(dialect === undefined ? {} : { dialect }),
    newId: () => 'thread-1',
    onRecord(record) {
      events.push(eventOf(record));
      writer?.record(record);
    },
  });
  const encoder = new TextEncoder();
  reader.stdout(encoder.encode(stdout));
  reader.stderr(encoder.encode(stderr ?? ''));
  const outcome = reader.end(exit);
  writer?.end(outcome);
  return {
    events,
    outcome,
    notes: reader.notes,
    text: writer?.take() ?? '',
    losses: [...(writer?.losses.keys() ?? [])],
  };
}

export const jsonl = (lines: readonly unknown[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

export function linesOf(text: string): JsonObject[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JsonObject);
}

/** The events of these types, as they are. */
export function only<Type extends EventType>(
  read: { events: readonly AgentEvent[] },
  ...types: Type[]
): EventOf<Type>[] {
  const wanted: readonly EventType[] = types;
  return read.events.filter((event): event is EventOf<Type> => wanted.includes(event.type));
}

export const exited = (code: number): ProcessEnd => ({ exit_code: code, signal: null });
export const signalled = (signal: string): ProcessEnd => ({ exit_code: null, signal });
