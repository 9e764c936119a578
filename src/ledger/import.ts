import { storedRuns } from '../agents/stored/sources.ts';
import { hashOf } from '../agents/stored/sightings.ts';
import { ownLines } from '../agents/stored/repeated.ts';
import type { Origin, ReadFile, StoredRun, Unchanged, Unreadable } from '../agents/stored/stored-run.ts';
import type { ImportIndex } from './import-index.ts';
import { priceLoader } from '../builtin/config/price.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { messageOf } from '../failure.ts';
import type { Price } from '../outcome/price.ts';
import { present } from '../json/present.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { Tapes } from '../tapes/tape.ts';
import { ImportTape } from './import-tape.ts';
import { fileTape } from '../tapes/file-tape.ts';
import type { ImportedRun, RunStore, RunSummary } from '../stores/run-store.ts';
import type { Labels } from '../contract/labels.ts';
import { streamOf } from '../tapes/tape.ts';
import { plural } from '../terminal/figures.ts';
import { exportedRuns, isExport } from './exported.ts';
import { handOver } from './hand-over.ts';
import {
  absorbImports,
  alsoLabel,
  answersWithin,
  areBothLive,
  covers,
  isAllOf,
  outside,
  runsOfSession,
  sameContent,
  seenBetter,
  sessionLabel,
  type Span,
  spanOf,
  wholeOf,
  withoutBill,
} from './one-run.ts';
import { type Reading, readRun, UnknownDialect } from './read-run.ts';

export interface ImportOptions {
  /** Absent: detected for each stream. */
  dialect?: Dialect | undefined;
  /** Called for each run; absent: secrets stay. */
  redact?: (() => Redactor | undefined) | undefined;
  /** Where the tapes of new runs go; absent: none is kept. */
  tapes?: Tapes | undefined;
  /** Added to every run. */
  labels?: Labels;
  /** For runs whose agent reported no cost; unset: the table. */
  loadPrice?: (() => Promise<Price>) | undefined;
  /** What came of files that have not changed since. */
  index?: ImportIndex | undefined;
}

/** `grown`: a session replaced an earlier import of it. */
type Kept = 'added' | 'same' | 'grown';

interface KeptRun {
  kind: Kept;
  name: string;
  id: string;
  /** How many of its model calls other runs have: they were left out. */
  repeated?: number;
}

/** The result for one run, or for a source without a run: `empty` is a session in which nothing happened. */
export type Imported =
  | KeptRun
  | { kind: 'empty'; name: string }
  | { kind: 'broken'; name: string; why: string; unknownDialect?: true };

/** The runs in files and folders; files may be compressed, and `readFile` reads those that are not. */
export function runsAt(
  paths: string | readonly string[],
  readFile?: ReadFile,
  index?: ImportIndex,
): AsyncGenerator<StoredRun | Unreadable | Unchanged> {
  const read: ReadFile = (file) => streamOf(fileTape(file, readFile));
  return storedRuns([paths].flat(), read, (origin) => index?.outcomesOf(origin) !== undefined);
}

/** One source is one run, unless it is an export. A broken one does not affect the others. */
export async function* importRuns(
  store: RunStore,
  sources: AsyncIterable<StoredRun | Unreadable | Unchanged>,
  { index, ...options }: ImportOptions = {},
): AsyncGenerator<Imported> {
  /** The file that is being read, which may hold several runs. */
  let open: { origin: Origin; results: Imported[] } | undefined;
  const close = (): void => {
    if (open !== undefined) index?.note(open.origin, open.results);
    open = undefined;
  };
  for await (const source of sources) {
    if ('unchanged' in source) {
      yield* index?.outcomesOf(source.unchanged) ?? [];
      continue;
    }
    const origin = 'origin' in source ? source.origin : undefined;
    if (open !== undefined && open.origin.path !== origin?.path) close();
    if (origin !== undefined) open ??= { origin, results: [] };
    for await (const imported of importSource(store, source, options)) {
      open?.results.push(imported);
      yield imported;
    }
  }
  close();
  index?.write();
}

async function* importSource(
  store: RunStore,
  source: StoredRun | Unreadable,
  { dialect, redact, tapes, labels = {}, loadPrice = priceLoader() }: Omit<ImportOptions, 'index'>,
): AsyncGenerator<Imported> {
  const { name } = source;
  if ('why' in source) {
    yield { kind: 'broken', ...source };
    return;
  }
  const reading = (): Reading => ({ dialect, redact: redact?.(), labels, loadPrice });
  for await (const run of runsOf(source, labels, reading)) {
    if (run === undefined) yield { kind: 'empty', name };
    else if ('kind' in run) yield run;
    else
      yield await keepOwn({ store, tapes }, run, name, (pick) =>
        readSource({ ...source, stdout: () => pick(source.stdout()) }, reading),
      );
  }
}

type Broken = Extract<Imported, { kind: 'broken' }>;

async function* runsOf(
  source: StoredRun,
  labels: Labels,
  reading: () => Reading,
): AsyncGenerator<ImportedRun | Broken | undefined> {
  const { name } = source;
  try {
    const { first, all } = await peek(source.stdout());
    if (!isExport(first)) {
      const run = await readRun({ ...source, stdout: () => all }, reading());
      yield run === undefined ? undefined : withRecords(run, source, reading);
      return;
    }
    const { redact } = reading();
    for await (const run of exportedRuns(all, labels))
      yield 'why' in run ? { kind: 'broken', name: `${name}:${run.line}`, why: run.why } : cleanRun(run, redact);
  } catch (error) {
    const why = messageOf(error).replace(`cannot read ${name}: `, '');
    yield { kind: 'broken', name, why, ...(error instanceof UnknownDialect ? { unknownDialect: true } : {}) };
  }
}

async function readSource(source: StoredRun, reading: () => Reading): Promise<ImportedRun | undefined> {
  const run = await readRun(source, reading());
  return run === undefined ? undefined : withRecords(run, source, reading);
}

function withRecords(run: ImportedRun, source: StoredRun, reading: () => Reading): ImportedRun {
  return { ...run, records: (take) => readRun(source, { ...reading(), onRecord: take }) };
}

/** Removes secrets that the other ledger had kept; the names stay, or it would be another run. */
function cleanRun(run: ImportedRun, redact: Redactor | undefined): ImportedRun {
  return redact === undefined ? run : { ...redact.json(run), ...present({ id: run.id, key: run.key, tape: run.tape }) };
}

/** The first bytes of a stream, and the whole stream. */
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

/** Reads the source again, or a part of it. */
type ReadAgain = (
  pick: (bytes: AsyncIterable<Uint8Array>) => AsyncIterable<Uint8Array>,
) => Promise<ImportedRun | undefined>;

/** Where imported runs go. */
interface Destination {
  store: RunStore;
  tapes: Tapes | undefined;
}

/** A model call has one identity in whichever file it stands: those that another run has are left out. */
async function keepOwn(
  destination: Destination,
  run: ImportedRun,
  name: string,
  readAgain: ReadAgain,
): Promise<Imported> {
  for (;;) {
    const kept = await keepAsKnown(destination, run, name, readAgain);
    if (kept.kind !== 'contested') return kept;
  }
}

/** An import at the same moment was faster with one of its model calls: nothing was added. */
interface IsContested {
  kind: 'contested';
}

async function keepAsKnown(
  destination: Destination,
  run: ImportedRun,
  name: string,
  readAgain: ReadAgain,
): Promise<Imported | IsContested> {
  const { store } = destination;
  const { others, ownRuns } = await callsOfOthers(store, run, readAgain);
  const own = (bytes: AsyncIterable<Uint8Array>) => ownLines(bytes, (identity) => others.has(hashOf(identity)));
  const readBeside: ReadBeside = (spans) =>
    readAgain((bytes) => outside(spans, others.size === 0 ? bytes : own(bytes)));
  if (others.size === 0) {
    const kept = await keep(destination, { run, ownRuns }, name, readBeside);
    // A run that was seen live, or imported by an older version, has its calls from here.
    if (kept.kind === 'same') await store.addRequests(kept.id, run.requests ?? []);
    else if (kept.kind === 'added' && run.requests === undefined)
      await store.addRequests(kept.id, [...(run.sightings?.keys() ?? [])]);
    return kept;
  }
  const [id = ''] = others.values();
  const repeated = others.size;
  if (repeated === run.requests?.length) return { kind: 'same', name, id, repeated };
  // Standard input cannot be read again.
  const rest = await readAgain(own).catch(() => null);
  if (rest === null)
    return {
      kind: 'broken',
      name,
      why: `it repeats ${plural(repeated, 'model call')} of other runs: import the file itself`,
    };
  if (rest === undefined) return { kind: 'same', name, id, repeated };
  // Nothing is claimed that is known to be another's, so that trying again leads on.
  const requests = rest.requests?.filter((each) => !others.has(each)) ?? [];
  const kept = await keep(destination, { run: { ...rest, requests }, ownRuns }, name, readBeside);
  return kept.kind === 'contested' ? kept : { ...kept, repeated };
}

interface KnownCalls {
  /** The model calls of a session that other runs have, each with its run. */
  others: ReadonlyMap<string, string>;
  /** Runs of the same session that have some of them. */
  ownRuns: ReadonlySet<string>;
}

async function callsOfOthers(store: RunStore, run: ImportedRun, readAgain: ReadAgain): Promise<KnownCalls> {
  const { id, requests = [], labels, outcome } = run;
  const session = labels[sessionLabel];
  if (requests.length === 0) return { others: new Map(), ownRuns: new Set() };
  let others = await ownersOf(store, run);
  if (others.size === 0 || session === undefined) return { others, ownRuns: new Set() };
  const { runs } = await store.list({ labels: { [sessionLabel]: session } }, { limit: 10 });
  const live = seenBetter(await runsOfSession(store, outcome.session_id), outcome.provenance.agent);
  const ownRuns = new Set([id, ...[...runs, ...live].map((each) => each.id)]);
  if (live.length > 0 && others.values().some((owner) => !ownRuns.has(owner))) {
    await takeBack(store, run, others, live, readAgain);
    others = await ownersOf(store, run);
  }
  for (const [request, owner] of others) if (ownRuns.has(owner)) others.delete(request);
  return { others, ownRuns };
}

/** What live runs of a session did is theirs, though a copy of the session was imported before. */
async function takeBack(
  store: RunStore,
  run: ImportedRun,
  owners: ReadonlyMap<string, string>,
  live: readonly RunSummary[],
  readAgain: ReadAgain,
): Promise<void> {
  const [first] = live;
  if (first === undefined) return;
  const spans = covers(wholeOf(live), run) ? [{ from: -Infinity, to: Infinity }] : live.map(spanOf);
  for (const copy of new Set(owners.values())) {
    if (live.some(({ id }) => id === copy)) continue;
    const isShared = (identity: string): boolean => owners.get(hashOf(identity)) === copy;
    // Standard input cannot be read again.
    const shared = await readAgain((bytes) => answersWithin(spans, bytes, isShared)).catch(() => undefined);
    const { requests = [], outcome } = shared ?? {};
    if (outcome !== undefined && requests.length > 0) await handOver(store, copy, first.id, { requests, outcome });
  }
}

/** Who has these model calls, by the file or because it saw them happen. */
async function ownersOf(store: RunStore, { requests = [], sightings }: ImportedRun): Promise<Map<string, string>> {
  const owners = await store.ownersOf(requests);
  if (sightings === undefined || owners.size === requests.length) return owners;
  for (const [sighting, owner] of await store.ownersOf([...sightings.keys()])) {
    const request = sightings.get(sighting);
    if (request !== undefined && !owners.has(request)) owners.set(request, owner);
  }
  return owners;
}
/** A run to be kept, and those of the same session that may have some of its model calls. */
interface OwnRun {
  run: ImportedRun;
  ownRuns: ReadonlySet<string>;
}

/** A run has one identity, however it was imported: parts with better evidence are there already, and only the rest is added. */
async function keep(
  destination: Destination,
  { run, ownRuns }: OwnRun,
  name: string,
  readBeside: ReadBeside,
): Promise<KeptRun | IsContested> {
  const { store } = destination;
  const { session_id: session, provenance } = run.outcome;
  const isSession = run.labels[sessionLabel] !== undefined;
  const known = session === '' ? [] : (await runsOfSession(store, session)).filter(({ id }) => id !== run.id);
  const better = seenBetter(known, provenance.agent);
  const [first] = better;
  if (isSession && first !== undefined) {
    for (const { id } of better) await store.addLabels(id, { [alsoLabel]: name });
    const rest = await restOf(run, better, readBeside);
    return rest === undefined
      ? { kind: 'same', name, id: first.id }
      : named(name, await put(destination, { run: rest, ownRuns }));
  }
  const twin = isSession ? undefined : ((await twinOf(store, better, run)) ?? (await sameContent(store, run))?.id);
  if (twin !== undefined) return { kind: 'same', name, id: twin };
  const kept = await put(destination, { run, ownRuns });
  if (!isSession && kept.kind === 'added') await absorbImports(store, run.id);
  return named(name, kept);
}

function named(name: string, kept: Put): KeptRun | IsContested {
  return kept.kind === 'contested' ? kept : { name, ...kept };
}

/** Reads the source again, without these time spans. */
type ReadBeside = (spans: readonly Span[]) => Promise<ImportedRun | undefined>;

/** What a session holds besides the runs with better evidence; undefined: nothing. */
async function restOf(
  run: ImportedRun,
  better: readonly RunSummary[],
  readBeside: ReadBeside,
): Promise<ImportedRun | undefined> {
  if (isAllOf({ ...run.outcome.metrics, ...run }, better)) return undefined;
  // Standard input cannot be read again.
  const rest = await readBeside(better.map(spanOf)).catch(() => undefined);
  return rest === undefined || rest.outcome.metrics.turns === 0
    ? undefined
    : { ...rest, outcome: withoutBill(rest.outcome, run.outcome, better) };
}

/** The run of the same session that printed this very stream, or is another copy of it. */
async function twinOf(
  store: RunStore,
  runs: readonly RunSummary[],
  { outcome, host: seenOn }: ImportedRun,
): Promise<string | undefined> {
  const { metrics } = outcome;
  for (const { id, host, tool_calls, input_tokens, output_tokens, status } of runs) {
    if (tool_calls !== metrics.tool_calls_count || areBothLive({ host }, { host: seenOn })) continue;
    // How a live run ended is known better than its output shows; two copies do not differ.
    const isCopy =
      status === outcome.status && input_tokens === metrics.input_tokens && output_tokens === metrics.output_tokens;
    if ((host !== undefined || isCopy) && (await store.get(id))?.outcome?.message === outcome.message) return id;
  }
  return undefined;
}

type Put = Pick<KeptRun, 'kind' | 'id'> | IsContested;

async function put(destination: Destination, { run, ownRuns }: OwnRun): Promise<Put> {
  const { store, tapes } = destination;
  const { id } = run;
  const session = run.labels[sessionLabel];
  const earlier =
    session === undefined ? [] : (await store.list({ labels: { [sessionLabel]: session } }, { limit: 10 })).runs;
  if (session === undefined || earlier.length === 0) return { kind: await claim(destination, { run, ownRuns }), id };
  // The same session may be in two stores, after an agent moved from files to a database: the longer one counts.
  const same = earlier.find((each) => each.id === id || (each.ended_at ?? 0) >= run.ended_at);
  if (same !== undefined) return { kind: 'same', id: same.id };
  const pruned = await store.prune({ labels: { [sessionLabel]: session } });
  const kind = await claim(destination, { run, ownRuns });
  for (const key of pruned.tapes) await tapes?.at(key)?.remove();
  return { kind: kind === 'contested' ? kind : 'grown', id };
}

/** Adds a run with all its model calls, except those that other runs of its session have. */
async function claim({ store, tapes }: Destination, { run: read, ownRuns }: OwnRun): ReturnType<RunStore['put']> {
  const tape = new ImportTape(tapes);
  const isKnown = (await store.get(read.id)) !== undefined;
  const run = { ...read, ...(isKnown ? {} : await tape.write(read)) };
  const kind = await putOwn(store, { run, ownRuns });
  // An import at the same moment may have added it with this very tape.
  if (kind !== 'added' && (await store.get(run.id))?.tape !== run.tape) await tape.remove();
  return kind;
}

async function putOwn(store: RunStore, { run, ownRuns }: OwnRun): ReturnType<RunStore['put']> {
  const { requests = [] } = run;
  if (ownRuns.size === 0 || requests.length === 0) return store.put(run);
  const held = await store.ownersOf(requests);
  if (held.values().some((owner) => !ownRuns.has(owner))) return 'contested';
  return store.put({ ...run, requests: requests.filter((each) => !held.has(each)) });
}
