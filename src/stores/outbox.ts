import { renameSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventOf } from '../events/event.ts';
import { systemCode } from '../failure.ts';
import type { Environment } from '../words/vocabulary.ts';
import { stateFolder } from '../files/xdg.ts';
import { filesIn } from '../files/files-in.ts';
import { makeFolder } from '../files/make-folder.ts';
import { boundedAttempts, boundedPrompt, ledgerOutcome, type Limits } from './ledger-outcome.ts';
import { readUrl } from './postgres-address.ts';
import type { LedgerPlace } from './open-store.ts';
import type { Ending, NewRun } from './run-store.ts';
import type { Labels } from '../contract/labels.ts';

export interface Stopped {
  at: number;
  limit: Omit<EventOf<'limit.reached'>, 'type'>;
}

/** A run that a ledger has not acknowledged. */
export interface OutboxEntry {
  /** Which ledger: several may share a folder. */
  ledger: string;
  run: NewRun;
  /** Absent: it had not ended when this was written; the rest is on its tape. */
  ending?: Ending;
  /** For a run that could not be ended in order: what ended its process, and when. The rest is on its tape. */
  stopped?: Stopped;
  /** Labels that became known at its end. */
  labels?: Labels;
}

/** The room that an entry keeps for the end of its run: the disk may be full by then. */
const reservedBytes = 16 * 1024;
const shortened = { signal: 'ledger', detail: 'the disk was full when it ended: long texts and lists are shortened' };

/** Runs on their way to a ledger, a small file each: a run that is neither here nor in the ledger never began. */
export class Outbox {
  readonly #folder: string;
  readonly #ledger: string;

  constructor(folder: string, ledger: string) {
    this.#folder = folder;
    this.#ledger = ledger;
  }

  /** Written atomically, so that a kill leaves either the previous entry or this one; on a full disk in the room of the previous one. */
  put(entry: Omit<OutboxEntry, 'ledger'>): void {
    makeFolder(this.#folder);
    const path = this.#pathOf(entry.run);
    const text = this.#textOf(entry);
    try {
      writeFileSync(`${path}.new`, entry.ending === undefined ? text + ' '.repeat(reservedBytes) : text, {
        mode: 0o600,
      });
      renameSync(`${path}.new`, path);
    } catch (error) {
      rmSync(`${path}.new`, { force: true });
      const room = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      const fitting = systemCode(error) === 'ENOSPC' ? this.#fitting(entry, room) : undefined;
      if (fitting === undefined) throw error;
      writeFileSync(path, fitting, { flag: 'r+' });
      truncateSync(path, fitting.length);
    }
  }

  #textOf(entry: Omit<OutboxEntry, 'ledger'>): string {
    return JSON.stringify({ ledger: this.#ledger, ...entry });
  }

  /** As much of the entry as there is room for; undefined: there is not even room for a verdict. */
  #fitting(entry: Omit<OutboxEntry, 'ledger'>, room: number): Buffer | undefined {
    const whole = Buffer.from(this.#textOf(entry));
    if (whole.length <= room) return whole;
    for (const text of [4096, 1024, 256, 64, 16]) {
      const bytes = Buffer.from(
        this.#textOf(within({ answer: text, stack: text, text, list: Math.max(2, text / 16) }, entry)),
      );
      if (bytes.length <= room) return bytes;
    }
    return undefined;
  }

  remove(run: Attempted): void {
    rmSync(this.#pathOf(run), { force: true });
  }

  get isEmpty(): boolean {
    return filesIn(this.#folder, ending).length === 0;
  }

  /** The entries for this ledger, oldest first; an unreadable one is left where it is. */
  async *entries(): AsyncGenerator<OutboxEntry> {
    for (const name of filesIn(this.#folder, ending)) {
      const entry = await readFile(join(this.#folder, name), 'utf8').then(
        (text) => JSON.parse(text) as OutboxEntry,
        () => undefined,
      );
      if (entry?.ledger === this.#ledger) yield entry;
    }
  }

  /** Two attempts at one run by workers of the same machine are two entries. */
  #pathOf({ id, lost = [] }: Attempted): string {
    return join(this.#folder, `${id}${lost.length === 0 ? '' : `.${lost.length + 1}`}${ending}`);
  }
}

function within(limits: Limits, { run, ending, ...rest }: Omit<OutboxEntry, 'ledger'>): Omit<OutboxEntry, 'ledger'> {
  const short = { ...rest, run: { ...run, prompt: boundedPrompt(run.prompt, limits) } };
  if (ending === undefined) return short;
  const outcome = ledgerOutcome(ending.outcome, limits);
  const attempts = boundedAttempts(ending.attempts ?? [], limits);
  const verdict = { ...outcome.verdict, evidence: [...outcome.verdict.evidence, shortened] };
  return { ...short, ending: { ...ending, attempts, outcome: { ...outcome, verdict } } };
}

type Attempted = Pick<NewRun, 'id' | 'lost'>;

const ending = '.run.json';

/** Beside the tapes: with the ledger's file, or in the state folder. */
export function openOutbox(place: Exclude<LedgerPlace, { kind: 'none' }>, env: Environment): Outbox {
  const folder = place.kind === 'sqlite' ? join(place.path, '..') : stateFolder(env);
  return new Outbox(join(folder, 'outbox'), ledgerName(place, env));
}

/** The same for every user and password, so that all name the same ledger. */
export function ledgerName(place: Exclude<LedgerPlace, { kind: 'none' }>, env: Environment): string {
  if (place.kind === 'sqlite') return place.path;
  const { url, hosts } = readable(place.url) ?? readUrl('postgres://invalid');
  const several = hosts.map(({ host, port }) => {
    const inUrl = host.includes(':') ? `[${host}]` : encodeURIComponent(host);
    return `${inUrl || env['PGHOST'] || 'localhost'}:${port || env['PGPORT'] || 5432}`;
  });
  const database = url.pathname.slice(1) || env['PGDATABASE'] || '';
  return `${several.join(',')}/${database}?schema=${url.searchParams.get('schema') ?? 'runwire'}`;
}

/** Undefined: whoever opens the ledger says what is wrong with its address. */
function readable(address: string): ReturnType<typeof readUrl> | undefined {
  try {
    return readUrl(address);
  } catch {
    return undefined;
  }
}
