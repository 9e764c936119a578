import type { StoredRun, Unchanged, Unreadable } from '../../agents/stored/stored-run.ts';
import { priceLoader } from '../../builtin/config/price.ts';
import { findReader } from '../../dialects/registry.ts';
import { Failure } from '../../failure.ts';
import { type Imported, importRuns as importStored, runsAt } from '../../ledger/import.ts';
import { ImportIndex } from '../../ledger/import-index.ts';
import { present } from '../../json/present.ts';
import { stateFolder } from '../../files/xdg.ts';
import { ledgerPlace } from '../../stores/open-store.ts';
import { hashOf } from '../../tapes/chunks/chunk.ts';
import { join } from 'node:path';
import { parseLabels } from '../../contract/labels.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { oneLine } from '../../terminal/plain.ts';
import { readSharedFlags, redaction, streamOptions, toldName } from '../streams.ts';
import { plural } from '../../terminal/figures.ts';
import { ledgerOption, useLedger } from './ledger.ts';

export const importRuns = command({
  name: 'runs import',
  summary: 'Import runs from tapes, stored streams, session stores and exports',
  operands: 'FILE|FOLDER…',
  description: `Reads files of any dialect, tapes, the output of "runwire runs export", and the sessions that Claude Code, Codex, OpenCode, Qwen Code and
pi keep. A folder is searched for *.jsonl, *.ndjson, *.tape (also .zst), opencode.db and storage/; a folder with stdout.jsonl (and
stderr.txt, exit.json) is one run. The same content is stored once, however often it is imported; a session that has grown replaces its
earlier import. If something cannot be read, stderr names it, everything else is imported, and the exit code is 2.`,
  options: {
    from: streamOptions.from,
    stderr: { ...streamOptions.stderr, help: 'File with what the process wrote to stderr, when importing one file' },
    'process-exit': {
      ...streamOptions['process-exit'],
      help: 'How the process ended, when importing one file: 0, 1, SIGTERM, …',
    },
    label: {
      type: 'string',
      short: 'l',
      multiple: true,
      value: 'KEY=VALUE',
      help: 'Label all imported runs; may be repeated',
    },
    'no-redact': streamOptions['no-redact'],
    'no-tape': { type: 'boolean', help: 'Keep only the entries of the runs in the ledger, not their events' },
    quiet: { type: 'boolean', short: 'q', help: 'Print only what could not be read' },
    ...ledgerOption,
  },
  examples: [
    [
      'runwire runs import ~/.claude/projects ~/.codex/sessions ~/.pi/agent/sessions',
      'Import earlier sessions of these agents',
    ],
    ['runwire runs import ~/.local/share/opencode', 'OpenCode, old and new'],
    ['runwire runs import --label ci.job=nightly logs/', 'A folder of stored streams'],
    ['runwire runs export | runwire runs import --ledger postgres://db/runs -', 'To another ledger'],
  ],
  async run(values, operands, context) {
    if (operands.length === 0)
      throw new Failure('input', 'name files or folders to import, or - for stdin; see --help');
    const dialect = values.from === undefined ? undefined : findReader(values.from);
    const shared = readSharedFlags(values, context);
    const evidence = evidenceOf(shared, operands);
    const labels = parseLabels(values.label);
    const redact = () => redaction(values['no-redact'], context).redact;
    return useLedger(values, context, async ({ store, tapes }) => {
      const tally = new Tally(context, values.quiet === true);
      // What is given beside a file is not in its bytes.
      const index =
        Object.keys(evidence).length > 0
          ? undefined
          : await ImportIndex.open(indexPath(values.ledger, context), values.from ?? '', store);
      for await (const imported of importStored(store, sourcesIn(operands, evidence, context, index), {
        index,
        dialect,
        tapes: values['no-tape'] === true ? undefined : tapes,
        redact,
        labels,
        loadPrice: priceLoader(context),
      }))
        tally.count(imported);
      return tally.end();
    });
  },
});

async function* sourcesIn(
  operands: readonly string[],
  evidence: Evidence,
  { stdin, now, readFile }: Context,
  index: ImportIndex | undefined,
): AsyncGenerator<StoredRun | Unreadable | Unchanged> {
  if (operands.includes('-')) yield { name: '<stdin>', at: now(), stdout: () => stdin, ...evidence };
  const paths = operands.filter((path) => path !== '-');
  for await (const source of runsAt(paths, readFile, index))
    yield 'stdout' in source ? { ...source, ...evidence } : source;
}

/** Beside the file of the ledger; of one on a server, in the state folder. */
function indexPath(ledger: string | undefined, { env, cwd }: Context): string {
  const place = ledgerPlace(ledger, env, cwd);
  if (place.kind === 'sqlite') return `${place.path}.imports`;
  return join(stateFolder(env), `imports-${hashOf(Buffer.from(place.kind === 'postgres' ? place.url : ''))}.index`);
}

type Evidence = Pick<StoredRun, 'stderr' | 'process'>;
type Flags = ReturnType<typeof readSharedFlags>;

function evidenceOf(flags: Flags, operands: readonly string[]): Evidence {
  const hasStderr = flags.stderr() !== undefined;
  if ((hasStderr || flags.process !== undefined) && operands.length > 1)
    throw new Failure('input', '--stderr and --process-exit belong to one run: import one file at a time with them');
  return {
    ...(hasStderr ? { stderr: () => flags.stderr() ?? nothing() } : {}),
    ...present({ process: flags.process }),
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

const tellMs = 2000;

/** Progress and totals, on stderr. */
class Tally {
  readonly #context: Context;
  readonly #quiet: boolean;
  readonly #counts: Record<Imported['kind'], number> = { added: 0, same: 0, grown: 0, empty: 0, broken: 0 };
  #read = 0;
  #repeated = 0;
  #shownAt: number;

  constructor(context: Context, quiet: boolean) {
    this.#context = context;
    this.#quiet = quiet;
    this.#shownAt = context.now();
  }

  count(imported: Imported): void {
    this.#counts[imported.kind] += 1;
    this.#read += 1;
    if ('repeated' in imported) this.#repeated += imported.repeated ?? 0;
    if (imported.kind === 'broken')
      this.#context.warn(
        toldName(`runwire: ${oneLine(imported.name, 400)}: ${oneLine(whyBroken(imported), 400)}`, this.#context),
      );
    const now = this.#context.now();
    if (this.#quiet || !this.#context.stderrIsTerminal || now - this.#shownAt < tellMs) return;
    this.#shownAt = now;
    this.#context.warn(`runwire: ${this.#read} read, ${this.#counts.added} added …`);
  }

  end(): number {
    const { added, same, grown, empty, broken } = this.#counts;
    const more = [
      same > 0 ? `${same} there before` : '',
      grown > 0 ? `${grown} grown` : '',
      empty > 0 ? `${empty} without a turn` : '',
      broken > 0 ? `${broken} broken` : '',
    ].filter((part) => part !== '');
    if (this.#repeated > 0) more.push(`${plural(this.#repeated, 'model call')} left out that other runs have`);
    if (!this.#quiet) this.#context.warn(`runwire: ${[`${plural(added, 'run')} added`, ...more].join(', ')}`);
    return broken > 0 ? 2 : 0;
  }
}

function whyBroken({ why, unknownDialect }: Extract<Imported, { kind: 'broken' }>): string {
  return unknownDialect === true ? `${why}; name one with --from (see "runwire dialects")` : why;
}
