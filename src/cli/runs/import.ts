import { findDialect } from '../../dialects/registry.ts';
import { Failure } from '../../failure.ts';
import { parseLabel } from '../../stores/labels.ts';
import type { ImportedRun, Labels, RunStore } from '../../stores/run-store.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { oneLine } from '../../terminal/plain.ts';
import { readSharedFlags, redaction, streamOptions } from '../streams.ts';
import { exportedRuns, isExport } from './exported.ts';
import { counted } from './figures.ts';
import { readRun, sessionLabel } from './import-run.ts';
import { type Broken, type ImportSource, messageOf, sourcesIn } from './import-sources.ts';
import { ledgerOption, useLedger } from './ledger.ts';

export const importRuns = command({
  name: 'runs import',
  summary: 'Runs from tapes, stored streams, session stores and exports',
  operands: 'FILE|FOLDER…',
  description: `Files of any dialect, tapes, what "runwire runs export" wrote, and the sessions that Claude Code, Codex, OpenCode and pi keep.
A folder is searched for *.jsonl, *.ndjson, *.tape (also .zst), opencode.db and storage/; one with stdout.jsonl (and stderr.txt,
exit.json) is one run. The same content is there once, however often it is imported; a session that has grown replaces what was
imported of it. What cannot be read is named on stderr, everything else goes in, and the exit code is 2.`,
  options: {
    from: streamOptions.from,
    stderr: { ...streamOptions.stderr, help: 'What the process wrote to stderr, for one file' },
    'process-exit': { ...streamOptions['process-exit'], help: 'How the process ended, for one file: 0, 1, SIGTERM, …' },
    label: { type: 'string', short: 'l', multiple: true, value: 'KEY=VALUE', help: 'Give this label to all; may be repeated' },
    'no-redact': streamOptions['no-redact'],
    quiet: { type: 'boolean', help: 'Tell only what is broken' },
    ...ledgerOption,
  },
  examples: [
    ['runwire runs import ~/.claude/projects ~/.codex/sessions ~/.pi/agent/sessions', 'What these agents did before'],
    ['runwire runs import ~/.local/share/opencode', 'OpenCode, old and new'],
    ['runwire runs import --label ci.job=nightly logs/', 'A folder of stored streams'],
    ['runwire runs export | runwire runs import --ledger postgres://db/runs -', 'To another ledger'],
  ],
  async run(values, operands, context) {
    if (operands.length === 0) throw new Failure('input', 'name files or folders to import, or - for stdin; see --help');
    const dialect = values.from === undefined ? {} : { dialect: findDialect(values.from) };
    const shared = readSharedFlags(values, context);
    const evidence = evidenceOf(shared, operands);
    const labels = Object.fromEntries((values.label ?? []).map(parseLabel));
    return useLedger(values, context, async ({ store }) => {
      const tally = new Tally(context, values.quiet === true);
      for await (const found of sourcesIn(operands, context)) {
        const source = 'why' in found ? found : { ...found, ...evidence };
        const runs = runsOf(source, labels, () => ({ ...dialect, ...redaction(values['no-redact'], context), labels }));
        for await (const run of runs) {
          if (run === undefined) tally.empty += 1;
          else if ('why' in run) tally.breaks(run);
          else tally.counts(await keep(store, run));
        }
        tally.advance();
      }
      return tally.end();
    });
  },
});

type Flags = ReturnType<typeof readSharedFlags>;

function evidenceOf(flags: Flags, operands: readonly string[]): Pick<ImportSource, 'stderr' | 'process'> {
  const hasStderr = flags.stderr() !== undefined;
  if ((hasStderr || flags.process !== undefined) && operands.length > 1)
    throw new Failure('input', '--stderr and --process-exit are of one run: import one file at a time with them');
  return {
    ...(hasStderr ? { stderr: () => flags.stderr() ?? nothing() } : {}),
    ...(flags.process === undefined ? {} : { process: flags.process }),
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** One source is one run, unless it is an export. A broken one costs itself alone. */
async function* runsOf(
  source: ImportSource | Broken,
  labels: Labels,
  reading: () => Parameters<typeof readRun>[1],
): AsyncGenerator<ImportedRun | Broken | undefined> {
  if ('why' in source) {
    yield source;
    return;
  }
  try {
    const { first, all } = await peek(source.stdout());
    if (!isExport(first)) {
      yield await readRun({ ...source, stdout: () => all }, reading());
      return;
    }
    for await (const run of exportedRuns(all, labels)) yield 'why' in run ? { name: `${source.name}:${run.line}`, why: run.why } : run;
  } catch (error) {
    yield { name: source.name, why: messageOf(error).replace(`cannot read ${source.name}: `, '') };
  }
}

/** The first bytes of a stream, and all of it. */
async function peek(bytes: AsyncIterable<Uint8Array>): Promise<{ first: Uint8Array; all: AsyncIterable<Uint8Array> }> {
  const rest = bytes[Symbol.asyncIterator]();
  const { value, done } = await rest.next();
  const first = done === true ? new Uint8Array() : value;
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      yield first;
      for (;;) {
        const next = await rest.next();
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await rest.return?.();
    }
  }
  return { first, all: all() };
}

type Kept = 'added' | 'same' | 'grown';

/** A session that has grown takes the place of what was imported of it before. */
async function keep(store: RunStore, run: ImportedRun): Promise<Kept> {
  const session = run.labels[sessionLabel];
  const earlier = session === undefined ? [] : (await store.list({ labels: { [sessionLabel]: session } }, { limit: 10 })).runs;
  if (session === undefined || earlier.length === 0) return store.put(run);
  // The same session may be in two stores, after an agent moved from files to a database: the longer one counts.
  if (earlier.some(({ id, ended_at }) => id === run.id || (ended_at ?? 0) >= run.ended_at)) return 'same';
  await store.prune({ labels: { [sessionLabel]: session } });
  await store.put(run);
  return 'grown';
}

const tellMs = 2000;

/** Counts for people, on stderr. */
class Tally {
  readonly #context: Context;
  readonly #quiet: boolean;
  readonly #kept: Record<Kept, number> = { added: 0, same: 0, grown: 0 };
  #sources = 0;
  #broken = 0;
  #told: number;
  empty = 0;

  constructor(context: Context, quiet: boolean) {
    this.#context = context;
    this.#quiet = quiet;
    this.#told = context.now();
  }

  counts(kept: Kept): void {
    this.#kept[kept] += 1;
  }

  breaks({ name, why }: Broken): void {
    this.#broken += 1;
    this.#context.warn(`runwire: ${oneLine(name, 400)}: ${oneLine(why, 400)}`);
  }

  advance(): void {
    this.#sources += 1;
    const now = this.#context.now();
    if (this.#quiet || !this.#context.stderrIsTerminal || now - this.#told < tellMs) return;
    this.#told = now;
    this.#context.warn(`runwire: ${this.#sources} read, ${this.#kept.added} added …`);
  }

  end(): number {
    const { added, same, grown } = this.#kept;
    const more = [
      same > 0 ? `${same} there before` : '',
      grown > 0 ? `${grown} grown` : '',
      this.empty > 0 ? `${this.empty} without a turn` : '',
      this.#broken > 0 ? `${this.#broken} broken` : '',
    ].filter((part) => part !== '');
    if (!this.#quiet) this.#context.warn(`runwire: ${[`${counted(added, 'run')} added`, ...more].join(', ')}`);
    return this.#broken > 0 ? 2 : 0;
  }
}
