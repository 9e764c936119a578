import type { Dialect } from '../../src/dialects/dialect.ts';
import { detectDialect } from '../../src/dialects/registry.ts';
import type { ProcessEnd } from '../../src/pipeline/thread.ts';
import { jsonl, pass, type Passed } from './pipeline.ts';

export { exited, only, signalled } from './pipeline.ts';
export type Read = Passed;
export type Wire = Record<string, unknown>;

interface Rest {
  stderr?: string;
  exit?: ProcessEnd;
  /** What follows the last line, without a line feed. */
  cut?: string;
  dialect?: Dialect;
}

/** Hand-written wire lines through the whole pipeline. */
export function readLines(lines: readonly Wire[], { cut = '', ...rest }: Rest = {}): Read {
  return pass({ stdout: jsonl(lines) + cut, ...rest });
}

/** Each tool call in short. */
export function tools(read: Read): string[] {
  return read.outcome.tool_calls.map(
    ({ name, status, reason }) => `${name} ${status}${reason === undefined ? '' : ` ${reason}`}`,
  );
}

/** What the first line alone, and the first lines together, are taken for. */
export function detected(lines: readonly Wire[], stderr: readonly string[] = []): string | undefined {
  return detectDialect(JSON.parse(JSON.stringify(lines)), stderr)?.dialect.id;
}
