import { findDialect, findWriter } from '../../src/dialects/registry.ts';
import type { JsonObject, Loss } from '../../src/dialects/dialect.ts';
import type { AgentEvent, EventType } from '../../src/events/event.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import type { ProcessEnd } from '../../src/pipeline/thread.ts';
import { Recorder } from '../../src/pipeline/recorder.ts';
import { Writer } from '../../src/pipeline/writer.ts';

export interface Run {
  /** Unset: detected. */
  dialect?: string;
  stdout?: string | readonly unknown[];
  stderr?: string;
  exit?: ProcessEnd;
}

export interface Reading {
  events: AgentEvent[];
  outcome: RunOutcome;
  /** The same run written again. */
  text: string;
  losses: Loss[];
}

/** Reads what a hand-written run printed, and writes it to `to` if a writer is named. */
export function read(run: Run, to?: string): Reading {
  const events: AgentEvent[] = [];
  const recorder = new Recorder(() => 'thread-1');
  const target = to === undefined ? undefined : findWriter(to);
  const writer = target === undefined ? undefined : new Writer(target.dialect, target.variant);
  const reader = new Reader({
    ...(run.dialect === undefined ? {} : { dialect: findDialect(run.dialect) }),
    onEvent(each) {
      events.push(each.event);
      writer?.record(recorder.record(each));
    },
  });
  const stdout = run.stdout ?? '';
  const encoder = new TextEncoder();
  reader.stdout(encoder.encode(typeof stdout === 'string' ? stdout : stdout.map((line) => `${JSON.stringify(line)}\n`).join('')));
  reader.stderr(encoder.encode(run.stderr ?? ''));
  const outcome = reader.end(run.exit);
  writer?.end();
  return { events, outcome, text: writer?.take() ?? '', losses: [...(writer?.losses.keys() ?? [])] };
}

export function eventsOf<Type extends EventType>(reading: Reading, ...types: Type[]): Extract<AgentEvent, { type: Type }>[] {
  const wanted: readonly EventType[] = types;
  return reading.events.filter((event): event is Extract<AgentEvent, { type: Type }> => wanted.includes(event.type));
}

/** All but the thread's end, which repeats the others. */
export function facts(reading: Reading): AgentEvent[] {
  return reading.events.filter((event) => event.type !== 'thread.completed' && event.type !== 'process.ended');
}

export function linesOf(text: string): JsonObject[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as JsonObject);
}

export const exited = (code: number): ProcessEnd => ({ exit_code: code, signal: null });
