import type { Loss } from '../../src/dialects/dialect.ts';
import type { Json, JsonObject } from '../../src/json/json.ts';
import { findDialect } from '../../src/dialects/registry.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import type { ProcessEnd } from '../../src/pipeline/thread.ts';
import { jsonl, linesOf, pass, type Passed } from './pipeline.ts';

export { jsonl, only } from './pipeline.ts';

interface More {
  stderr?: string;
  process?: ProcessEnd;
}

/** Reads what an agent printed; `from` unset: the dialect must be detected. */
export function readText(stdout: string, from?: string, { stderr, process }: More = {}): Passed {
  return pass({
    stdout,
    ...(from === undefined ? {} : { dialect: findDialect(from) }),
    ...(stderr === undefined ? {} : { stderr }),
    ...(process === undefined ? {} : { exit: process }),
  });
}

export function readLines(lines: readonly Json[], from?: string, more: More = {}): Passed {
  return readText(jsonl(lines), from, more);
}

export interface Written {
  text: string;
  lines: JsonObject[];
  losses: Loss[];
}

/** Writes what `from` said as `to`. */
export function rewrite(stdout: string, from: string, to: string): Written {
  const { text, losses } = pass({ stdout, dialect: findDialect(from) }, to);
  return { text, lines: linesOf(text), losses: losses.toSorted() };
}

/** A run told by events of ours, as the tape has them; the end is made by the fold. */
export function writeEvents(
  events: readonly AgentEvent[],
  to: string,
  timestamp: string | null = '2026-03-01T10:00:00.000Z',
): Written {
  const envelope = { thread_id: 'thread-1', source: 'agent', synthetic: false, timestamp };
  return rewrite(jsonl(events.map((event, index) => ({ ...event, ...envelope, sequence: index + 1 }))), 'runwire', to);
}
