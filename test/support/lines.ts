import type { Dialect } from '../../src/dialects/dialect.ts';
import { detectDialect } from '../../src/dialects/registry.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import type { RunOutcome } from '../../src/outcome/outcome.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import type { ProcessEnd } from '../../src/pipeline/thread.ts';

export type Wire = Record<string, unknown>;

export interface Read {
  events: AgentEvent[];
  outcome: RunOutcome;
}

export interface Rest {
  stderr?: string;
  exit?: ProcessEnd;
  /** What follows the last line, without a line feed. */
  cut?: string;
  /** Unset: detected. */
  dialect?: Dialect;
}

/** Hand-written wire lines through the whole pipeline. */
export function readLines(lines: readonly Wire[], rest: Rest = {}): Read {
  const events: AgentEvent[] = [];
  const reader = new Reader({
    ...(rest.dialect === undefined ? {} : { dialect: rest.dialect }),
    onEvent: ({ event }) => void events.push(event),
  });
  const encoder = new TextEncoder();
  reader.stdout(encoder.encode(lines.map((line) => `${JSON.stringify(line)}\n`).join('') + (rest.cut ?? '')));
  reader.stderr(encoder.encode(rest.stderr ?? ''));
  return { events, outcome: reader.end(rest.exit) };
}

export const exited = (code: number): ProcessEnd => ({ exit_code: code, signal: null });
export const signalled = (signal: string): ProcessEnd => ({ exit_code: null, signal });

/** The events of these types, as they are. */
export function only(read: Read, ...types: AgentEvent['type'][]): AgentEvent[] {
  return read.events.filter((event) => types.includes(event.type));
}

/** Each tool call in short. */
export function tools(read: Read): string[] {
  return read.outcome.tool_calls.map(({ name, status, reason }) => `${name} ${status}${reason === undefined ? '' : ` ${reason}`}`);
}

/** What the first line alone, and the first lines together, are taken for. */
export function detected(lines: readonly Wire[], stderr: readonly string[] = []): string | undefined {
  return detectDialect(JSON.parse(JSON.stringify(lines)), stderr)?.dialect.id;
}
