import type { z } from 'zod';
import type { Dialect } from '../../dialects/dialect.ts';
import type { JsonObject } from '../../json/json.ts';
import { detectDialect, dialects, findDialect } from '../../dialects/registry.ts';
import { Failure } from '../../failure.ts';
import { Framer } from '../../pipeline/framer.ts';
import type { Redactor } from '../../redact/redactor.ts';
import { oneLine } from '../../terminal/plain.ts';
import { command } from '../command.ts';
import { redaction, type Source, sourcesOf, streamOptions } from '../streams.ts';
import { unlessTooLarge } from '../../json/unless-too-large.ts';
import { cutAfter } from '../../redact/cut.ts';

interface Problem {
  file: string;
  line: number;
  path: string;
  message: string;
}

const headLength = 64;
/** The path of a file is at most 4096 bytes long; the rest is for the message, which names what was expected. */
const longestProblem = 8192;

export const validate = command({
  name: 'validate',
  summary: "Check every line of a stream against its dialect's schema",
  operands: '[FILE…]',
  description: `Prints one problem per line, as FILE:LINE: PATH: MESSAGE, and exits with 2 if there are any.
Lines that are not JSON are problems too.`,
  options: {
    from: { ...streamOptions.from, choices: dialects.map((each) => each.id) },
    json: { type: 'boolean', help: 'Print problems as JSON lines' },
    'no-redact': streamOptions['no-redact'],
  },
  examples: [
    ['runwire validate run.jsonl', 'Check a stored stream'],
    ['my-agent --json | runwire validate --from codex', 'Check what a program of your own prints'],
  ],
  async run(values, operands, context) {
    let problems = 0;
    const { redact } = redaction(values['no-redact'], context);
    for (const source of sourcesOf(operands, context)) {
      const checker = new Checker(source, redact, values.from === undefined ? undefined : findDialect(values.from));
      for await (const chunk of source.bytes) {
        checker.push(chunk);
        await report(checker);
      }
      await checker.end();
      await report(checker);
      context.warn(
        `runwire: ${source.name}: ${checker.values} objects, ${checker.count} problems, dialect ${checker.dialect?.id ?? 'unknown'}`,
      );
      problems += checker.count;
    }
    return problems > 0 ? 2 : 0;

    async function report(checker: Checker): Promise<void> {
      const found = await checker.take();
      if (found.length === 0) return;
      const lines = found.map((each) =>
        values.json === true
          ? JSON.stringify(each)
          : oneLine(
              `${each.file}:${each.line}: ${each.path === '' ? '' : `${each.path}: `}${each.message}`,
              longestProblem,
            ),
      );
      await context.print(`${lines.join('\n')}\n`);
    }
  },
});

/** Objects wait here until the dialect is known and its schema is loaded. */
class Checker {
  readonly #source: Source;
  readonly #redact: Redactor | undefined;
  readonly #framer: Framer;
  dialect: Dialect | undefined;
  #schema: z.ZodType | undefined;
  #waiting: { wire: JsonObject; line: number }[] = [];
  #problems: Problem[] = [];
  #ended = false;
  #before: JsonObject | undefined;
  values = 0;
  count = 0;

  constructor(source: Source, redact: Redactor | undefined, dialect: Dialect | undefined) {
    this.#source = source;
    this.#redact = redact;
    this.dialect = dialect;
    this.#framer = new Framer({
      value: (wire, line) => {
        this.#waiting.push({ wire, line });
        this.#detect();
      },
      text: (text, cause, line) => {
        const shown = redact?.line(text, source.name) ?? text;
        this.#problem(line, '', `${cause === 'noise' ? 'not JSON' : `${cause} line`}: ${cutAfter(shown, 80, '')}`);
      },
      note: () => {},
    });
  }

  push(chunk: Uint8Array): void {
    this.#framer.push(chunk);
  }

  /** As in a reader: the first line that is certain decides, or the first 64 lines together. */
  #detect(): void {
    if (this.dialect !== undefined || this.#waiting.length > headLength) return;
    const head = this.#waiting.map(({ wire }) => wire);
    const found = detectDialect(head, []);
    if (found !== undefined && (found.sure >= 0.9 || head.length === headLength)) this.dialect = found.dialect;
  }

  async end(): Promise<void> {
    this.#framer.end();
    this.#ended = true;
  }

  async take(): Promise<Problem[]> {
    if (
      this.#schema === undefined &&
      (this.#waiting.length >= headLength || this.#ended || this.dialect !== undefined)
    ) {
      this.dialect ??= detectDialect(
        this.#waiting.map(({ wire }) => wire),
        [],
      )?.dialect;
      if (this.dialect === undefined)
        throw new Failure(
          'input',
          `${this.#source.name}: no known dialect in it; name one with --from (see "runwire dialects")`,
        );
      this.#schema = await this.dialect.schema();
    }
    if (this.#schema !== undefined) {
      for (const { wire, line } of this.#waiting) this.#check(this.#schema, wire, line);
      this.#waiting = [];
    }
    const found = this.#problems.toSorted((a, b) => a.line - b.line);
    this.#problems = [];
    return found;
  }

  #check(schema: z.ZodType, wire: JsonObject, line: number): void {
    this.values += 1;
    const before = this.#before;
    this.#before = wire;
    if (this.dialect?.isRepetition?.(wire, before) === true) return;
    const result = unlessTooLarge(() => schema.safeParse(wire));
    if (result === undefined) return this.#problem(line, '', 'nested too deeply to be checked');
    if (result.success) return;
    for (const issue of explain(result.error.issues)) this.#problem(line, issue.path.join('.'), issue.message);
  }

  #problem(line: number, path: string, message: string): void {
    this.count += 1;
    const problem = { path, message };
    this.#problems.push({ file: this.#source.name, line, ...(this.#redact?.json(problem) ?? problem) });
  }
}

interface Issue {
  path: PropertyKey[];
  message: string;
}

/** A union blames all its members; the one that got furthest knows best what is wrong. */
function explain(issues: readonly z.core.$ZodIssue[], at: PropertyKey[] = []): Issue[] {
  return issues.flatMap((issue) => {
    const path = [...at, ...issue.path];
    if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ path, message: issue.message }];
    const members = issue.errors.map((errors) => explain(errors, path));
    return members.reduce((best, each) => (depth(each) > depth(best) ? each : best));
  });
}

function depth(issues: readonly Issue[]): number {
  return Math.max(0, ...issues.map((issue) => issue.path.length)) * 100 - issues.length;
}
