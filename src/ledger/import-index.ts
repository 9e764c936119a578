import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Origin } from '../agents/stored/stored-run.ts';
import { parseObject } from '../json/parse.ts';
import { list, object, string, whole } from '../json/read.ts';
import { version } from '../version.ts';
import type { RunStore } from '../stores/run-store.ts';
import type { Imported } from './import.ts';

/** What came of a file the last time: of a run that is there, its id. */
type Outcome =
  | (Omit<Extract<Imported, { id: string }>, 'kind'> & { kind: 'same' })
  | Extract<Imported, { kind: 'empty' }>;

interface Entry {
  stamp: string;
  outcomes: Outcome[];
}

/**
 * What was imported from which file, so that a file that has not changed need not be read again. It is beside the ledger, and nothing is lost with
 * it: without it, or when it was written by another version, all files are read.
 */
export class ImportIndex {
  readonly #path: string;
  /** What else decides what is read from a file. */
  readonly #manner: string;
  readonly #entries = new Map<string, Entry>();
  #hasNew = false;

  private constructor(path: string, manner: string) {
    this.#path = path;
    this.#manner = manner;
  }

  /** `manner`: what else than its bytes decides what comes of a file. A run that is no longer in the ledger is imported again. */
  static async open(path: string, manner: string, store: RunStore): Promise<ImportIndex> {
    const index = new ImportIndex(path, manner);
    for (const [file, entry] of entriesIn(path, index.#head)) index.#entries.set(file, entry);
    const ids = [...index.#entries.values()].flatMap(({ outcomes }) => outcomes.flatMap(idsOf));
    const present = ids.length === 0 ? new Set() : await store.present(ids);
    for (const [file, { outcomes }] of index.#entries)
      if (!outcomes.flatMap(idsOf).every((id) => present.has(id))) index.#entries.delete(file);
    return index;
  }

  /** Undefined: it is new, or has changed. */
  outcomesOf({ path, stamp }: Origin): readonly Outcome[] | undefined {
    const entry = this.#entries.get(path);
    return entry?.stamp === stamp ? entry.outcomes : undefined;
  }

  /** What came of a file that was read to its end. One that could not be read is tried again. */
  note({ path, stamp }: Origin, results: readonly Imported[]): void {
    const outcomes = results.flatMap((each): Outcome[] => {
      if (each.kind === 'broken') return [];
      return [each.kind === 'empty' ? each : { ...each, kind: 'same' }];
    });
    this.#hasNew = true;
    if (outcomes.length < results.length) this.#entries.delete(path);
    else this.#entries.set(path, { stamp, outcomes });
  }

  /** On a full disk, all files are read again the next time. */
  write(): void {
    if (!this.#hasNew) return;
    const next = `${this.#path}.${process.pid}`;
    try {
      mkdirSync(dirname(this.#path), { recursive: true });
      writeFileSync(next, JSON.stringify({ ...this.#head, files: Object.fromEntries(this.#entries) }), { mode: 0o600 });
      renameSync(next, this.#path);
    } catch {
      rmSync(next, { force: true });
    }
  }

  get #head() {
    return { version, manner: this.#manner };
  }
}

function idsOf(outcome: Outcome): string[] {
  return outcome.kind === 'same' ? [outcome.id] : [];
}

function* entriesIn(path: string, head: { version: string; manner: string }): Generator<[string, Entry]> {
  let text;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return;
  }
  const index = parseObject(text);
  if (index?.version !== head.version || index.manner !== head.manner) return;
  for (const [file, value] of Object.entries(object(index.files))) {
    const { stamp, outcomes } = object(value);
    const known = list(outcomes)
      .map(object)
      .flatMap(({ kind, name, id, repeated }): Outcome[] => {
        if (typeof name !== 'string') return [];
        if (kind === 'empty') return [{ kind, name }];
        const count = whole(repeated);
        return kind === 'same' && typeof id === 'string'
          ? [{ kind, name, id, ...(count === undefined ? {} : { repeated: count }) }]
          : [];
      });
    if (string(stamp) !== undefined && known.length === list(outcomes).length)
      yield [file, { stamp: string(stamp) ?? '', outcomes: known }];
  }
}
