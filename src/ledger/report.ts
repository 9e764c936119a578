import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { Failure } from '../failure.ts';
import { mostKept } from '../contract/label-limits.ts';
import { labelsSchema } from '../contract/labels-schema.ts';
import { isReported, reportedOwner } from '../processes/owner.ts';
import { isWholeId } from '../ids/run-id.ts';
import type { Progress, RunRecord, RunStore, TreePlace } from '../stores/run-store.ts';
import type { GrowingTape } from '../tapes/tape.ts';
import { hasMoreValues } from '../json/scan.ts';
import { present } from '../json/present.ts';
import type { Ledger } from './ledger.ts';
import { RunRecordSchema } from './schemas.ts';

const text = z.string();

/** The first line of an upload: what the run is, and which records were sent before. */
export const ReportHead = z.strictObject({
  meta: z.strictObject({
    started_at: z.number().nonnegative().max(8.64e15),
    prompt: text,
    host: text.max(255),
    pid: z.int().nonnegative(),
    agent: text.optional(),
    model: text.optional(),
    cwd: text.optional(),
    user: text.optional(),
    repo: text.optional(),
    parent_run_id: text.refine(isWholeId, 'expected the id of a run').optional(),
    root_run_id: text.refine(isWholeId, 'expected the id of a run').optional(),
    labels: labelsSchema(mostKept),
  }),
  /** The last record that was sent before these; 0: none. */
  after: z.int().nonnegative(),
});

/** The last line of the last upload. */
export const ReportEnd = z.strictObject({
  outcome: RunRecordSchema.shape.outcome.unwrap(),
  ended_at: z.number(),
  attempts: RunRecordSchema.shape.attempts,
});

/** More records than any run has, and what a 32-bit column holds. */
const lastSequence = 0xffff_ffff;
const Line = z.looseObject({ type: text.min(1), sequence: z.int().positive().max(lastSequence) });

/** A tape of this size ends there; the run continues. */
const mostTapeBytes = 512 * 1024 * 1024;
const runsKept = 1000;
/** The clock of another machine may be wrong by hours; a run dated another year would be listed before all others for ever. */
const mostAheadMs = 24 * 3_600_000;

/** Earlier records are missing here: everything after `accepted_to` must be sent again. */
export interface Gap {
  accepted_to: number;
  missing: true;
}

export interface Accepted {
  accepted_to: number;
  /** How many records were new. */
  added: number;
}

/** Runs that other machines report in pieces. A piece may arrive any number of times; it is kept once. */
export class ReportedRuns {
  readonly #ledger: Ledger;
  readonly #now: () => number;
  readonly #turn: () => Promise<void>;
  readonly #tapes = new Map<string, Promise<GrowingTape>>();
  /** One upload of a run at a time. */
  readonly #turns = new Map<string, Promise<unknown>>();

  /** `turn`: waits until a piece of a long upload may be read. */
  constructor(ledger: Ledger, now: () => number, turn: () => Promise<void> = nextTurn) {
    this.#ledger = ledger;
    this.#now = now;
    this.#turn = turn;
  }

  /** Throws `Failure` if the upload is invalid, or if the run belongs to another reporter. */
  async accept(id: string, body: string, reporter: string): Promise<Accepted | Gap> {
    const accept = (): Promise<Accepted | Gap> => this.#accept(id, body, reporter);
    const turn = (this.#turns.get(id) ?? Promise.resolve()).then(accept, accept);
    this.#turns.set(id, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(id) === turn) this.#turns.delete(id);
    }
  }

  async #accept(id: string, body: string, reporter: string): Promise<Accepted | Gap> {
    const { head, records, end } = await parts(body, this.#turn);
    const { store, tapes } = this.#ledger;
    const { meta } = head;
    if (meta.started_at > this.#now() + mostAheadMs)
      throw new Failure(
        'input',
        'line 1: meta.started_at: that is in the future; check the clock of the sending machine',
      );
    const { key, open } = tapes.grow(id, meta.started_at);
    let known = await store.get(id);
    if (known === undefined) {
      if (head.after > 0) return { accepted_to: 0, missing: true };
      const { host, pid, parent_run_id: _parent, root_run_id: _root, ...run } = meta;
      const place = await placeInTree(store, id, meta, reporter);
      await store.begin({ id, owner: reportedOwner(host, pid), reporter, tape: key, ...present(run), ...place });
      // Of two reporters that begin the same run on two servers, one was first.
      known = await store.get(id);
    }
    if (known !== undefined) refuseOther(known, meta, reporter);
    // The run writes to this very ledger itself, or has reported its end: nothing is missing here, and nothing changes.
    if (known !== undefined && (isLocal(known) || known.tape !== key || isOver(known)))
      return { accepted_to: records.at(-1)?.sequence ?? head.after, added: 0 };
    const tape = await this.#tape(id, open);
    if (head.after > tape.lastSequence) return { accepted_to: tape.lastSequence, missing: true };
    const fresh = records.filter(({ sequence }) => sequence > tape.lastSequence);
    const last = fresh.at(-1)?.sequence ?? tape.lastSequence;
    if (fresh.length > 0) await this.#append(id, tape, fresh.map(({ line }) => `${line}\n`).join(''), last);
    if (end !== undefined) {
      await tape.end();
      await store.finish(id, {
        outcome: end.outcome,
        ended_at: end.ended_at,
        last_sequence: last,
        attempts: end.attempts.map(present),
      });
      this.#tapes.delete(id);
    } else await store.note(id, { at: this.#now(), last_sequence: last, ...newsOf(fresh) });
    return { accepted_to: last, added: fresh.length };
  }

  async #append(id: string, tape: GrowingTape, lines: string, last: number): Promise<void> {
    try {
      await tape.append(tape.bytes > mostTapeBytes ? '' : lines, last);
    } catch (error) {
      // How much was written shows when the tape is opened again.
      this.#tapes.delete(id);
      throw error;
    }
  }

  #tape(id: string, open: () => Promise<GrowingTape>): Promise<GrowingTape> {
    const known = this.#tapes.get(id);
    if (known !== undefined) return known;
    if (this.#tapes.size >= runsKept) this.#tapes.clear();
    const opened = open();
    this.#tapes.set(id, opened);
    opened.catch(() => this.#tapes.delete(id));
    return opened;
  }
}

/** A run that was only lost from sight may still report how it ended. */
function isOver({ status }: RunRecord): boolean {
  return status !== 'running' && status !== 'incomplete';
}

/** The run writes to this ledger itself; a reported one of it is the same run, seen twice. */
function isLocal({ owner, reporter }: RunRecord): boolean {
  return reporter === undefined && (owner === undefined || !isReported(owner));
}

type Meta = z.infer<typeof ReportHead>['meta'];

/** A run belongs to whoever began it. */
function refuseOther(run: RunRecord, meta: Meta, reporter: string): void {
  if (run.reporter === reporter || isLocal(run)) return;
  // It was begun by a version that did not note its reporter: while it goes on, whoever knows its process may continue it.
  const { owner, started_at, status } = run;
  const isSameProcess =
    owner?.host === meta.host && owner.pid === meta.pid && started_at === Math.floor(meta.started_at);
  if (run.reporter === undefined && status === 'running' && isSameProcess) return;
  throw new Failure('permission', `the run ${run.id} was begun by another reporter, and only that one may continue it`);
}

/** Below whom a reported run is: only runs of the same reporter, and in the tree in which that one is. */
async function placeInTree(store: RunStore, id: string, meta: Meta, reporter: string): Promise<TreePlace> {
  const { parent_run_id: parent, root_run_id: named = parent } = meta;
  if (parent === undefined || named === undefined) return {};
  const [above, top] = [await store.get(parent), await store.get(named)];
  const root = above === undefined ? named : (above.root_run_id ?? above.id);
  for (const each of [above, top])
    if (each !== undefined && each.reporter !== reporter)
      throw new Failure(
        'permission',
        `the run ${each.id} belongs to another reporter or to this machine; a reported run cannot be below it`,
      );
  if (parent === id || root === id)
    throw new Failure('input', 'line 1: meta.parent_run_id: a run cannot be below itself');
  return { parent_run_id: parent, root_run_id: root };
}

interface SentRecord {
  sequence: number;
  line: string;
  /** Kept if it says something about the run itself. */
  wire: z.infer<typeof Line> | undefined;
}

interface Parts {
  head: z.infer<typeof ReportHead>;
  records: SentRecord[];
  end: z.infer<typeof ReportEnd> | undefined;
}

async function parts(body: string, turn: () => Promise<void>): Promise<Parts> {
  let head: Parts['head'] | undefined;
  const records: SentRecord[] = [];
  let end: Parts['end'];
  let number = 0;
  for await (const line of linesInTurns(body, turn)) {
    number += 1;
    if (head === undefined) {
      head = read(ReportHead, parse(line, number), number);
      continue;
    }
    if (end !== undefined) throw new Failure('input', `line ${number}: nothing follows the outcome`);
    const wire = parse(line, number);
    if (typeof wire === 'object' && wire !== null && 'outcome' in wire && !('sequence' in wire)) {
      end = read(ReportEnd, wire, number);
      continue;
    }
    const record = read(Line, wire, number);
    if (record.sequence <= (records.at(-1)?.sequence ?? head.after))
      throw new Failure('input', `line ${number}: sequences must rise`);
    const hasNews = record.type === 'thread.started' || typeof record['model'] === 'string';
    records.push({ sequence: record.sequence, line: line.trim(), wire: hasNews ? record : undefined });
  }
  return { head: head ?? read(ReportHead, parse('', 1), 1), records, end };
}

/** How many characters of an upload are read before other requests get their turn. */
const charactersPerTurn = 256 * 1024;
/** What a line costs besides its characters. */
const charactersPerLine = 100;

/** The lines of an upload that are not empty: nobody waits until all of a long one is read. */
async function* linesInTurns(body: string, turn: () => Promise<void>): AsyncGenerator<string> {
  let left = charactersPerTurn;
  for (let start = 0; start < body.length;) {
    const end = body.indexOf('\n', start);
    const line = end === -1 ? body.slice(start) : body.slice(start, end);
    left -= line.length + (line === '' ? 1 : charactersPerLine);
    if (left < 0) {
      await turn();
      left = charactersPerTurn;
    }
    if (line !== '') yield line;
    start = end === -1 ? body.length : end + 1;
  }
}

/** Nothing can pause the reading of a line: a text of 32 MB is read in no time, as many keys in eight seconds. */
const mostValues = 100_000;

function parse(line: string, number: number): unknown {
  if (line.length > mostValues && hasMoreValues(line, mostValues))
    throw new Failure('input', `line ${number}: more than ${mostValues} values`);
  try {
    return JSON.parse(line);
  } catch {
    throw new Failure('input', `line ${number} is not JSON`);
  }
}

function read<Schema extends z.ZodType>(schema: Schema, wire: unknown, number: number): z.infer<Schema> {
  const { success, data, error } = schema.safeParse(wire);
  if (success) return data;
  const [issue] = error.issues;
  throw new Failure('input', `line ${number}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not understood'}`);
}

/** What the records say about the run itself. */
function newsOf(records: readonly SentRecord[]): Omit<Progress, 'at'> {
  const news: Omit<Progress, 'at'> = {};
  for (const { wire } of records) {
    if (wire === undefined) continue;
    if (wire.type === 'thread.started')
      for (const name of ['session_id', 'agent', 'agent_version'] as const)
        if (typeof wire[name] === 'string') news[name] = wire[name];
    if (typeof wire['model'] === 'string') news.model = wire['model'];
  }
  return news;
}
