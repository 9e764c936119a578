import { findDialect } from '../../src/dialects/registry.ts';
import type { AgentEvent } from '../../src/events/event.ts';
import type { ProcessEnd } from '../../src/pipeline/thread.ts';
import { jsonl, pass, type Passed } from './pipeline.ts';

export { exited, linesOf, only as eventsOf } from './pipeline.ts';
export type Reading = Passed;

interface Run {
  /** Unset: detected. */
  dialect?: string;
  stdout?: string | readonly unknown[];
  stderr?: string;
  exit?: ProcessEnd;
}

/** Reads what a hand-written run printed, and writes it to `to` if a writer is named. */
export function read({ dialect, stdout = '', ...rest }: Run, to?: string): Reading {
  return pass(
    {
      stdout: typeof stdout === 'string' ? stdout : jsonl(stdout),
      ...(dialect === undefined ? {} : { dialect: findDialect(dialect) }),
      ...rest,
    },
    to,
  );
}

/** All but the thread's end, which repeats the others. */
export function facts(reading: Reading): AgentEvent[] {
  return reading.events.filter((event) => event.type !== 'thread.completed' && event.type !== 'process.ended');
}
