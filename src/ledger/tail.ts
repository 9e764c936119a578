import type { RunOutcome } from '../outcome/outcome.ts';
import { present } from '../json/present.ts';
import type { LedgerOutcome, RunRecord, RunStore, RunSummary } from '../stores/run-store.ts';
import type { Tape, TapeEnd } from '../tapes/tape.ts';
import { newestRun } from './find.ts';
import type { Ledger } from './ledger.ts';
import { endReading, tapeReader } from './run-tape.ts';
import { TapeCheck, type TapedRecord } from './tape-check.ts';
import { endIfGone } from './up-to-date.ts';

/** How often the end of a tape and the ledger are polled. */
export const lookMs = 150;
/** After how many polls to check whether the process of the run still exists. */
const looksPerCheck = 10;

export interface Waiting {
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Whether the run is still running, from a shared poll of the ledger; absent: the ledger is queried each time. */
  isRunning?(): boolean;
}

export interface Following {
  /** Records above this sequence. */
  after?: number;
  /** Waits for new records until the run ends; absent: only what there is. */
  follow?: Waiting;
  /** Once it is aborted nothing more is read, and its reason is thrown. */
  stop?: AbortSignal;
  /** Called if the tape of a run that has ended is not whole: the outcome is then the one in the ledger. */
  onDamaged?: (why: string) => void;
}

/**
 * The records of a run, live and from any process, in batches of whatever there is. Returns its outcome; undefined: it is still
 * running, and must not get an invented end. The lines of a tape are records already; only one that is damaged or was cut is read
 * again, and repaired.
 */
export async function* runRecords(
  ledger: Ledger,
  run: RunSummary,
  tape: Tape,
  { after = 0, follow, stop, onDamaged }: Following = {},
): AsyncGenerator<readonly TapedRecord[], RunOutcome | undefined> {
  const life = new Life(ledger, run, follow);
  // The last record that the reader has is read again: it may be the end.
  const check = new TapeCheck(after <= 1);
  let last = after;
  let isIntact = true;
  const parts = tape.follow(() => life.more(), Math.max(0, after - 1));
  try {
    while (isIntact) {
      const next = await parts.next();
      if (next.done === true) break;
      stop?.throwIfAborted();
      const part = check.read(next.value);
      isIntact = part.isIntact;
      const records = part.records.filter(({ record }) => record.sequence > last);
      last = records.at(-1)?.record.sequence ?? last;
      if (records.length > 0) yield records;
    }
  } finally {
    await parts.return({ kind: 'cut' });
  }
  if (isIntact && life.isRunning) return undefined;
  const outcome = isIntact ? await outcomeIn(check.end, await life.known()) : undefined;
  if (outcome === undefined || check.end === undefined)
    return yield* repairedRecords(life, tape, { after: last, ...present({ stop, onDamaged }) });
  if (check.end.record.sequence > last) yield [check.end];
  return outcome;
}

/** What a tape ends with, if that is what the ledger says: an edited tape cannot claim a verdict. */
async function outcomeIn(end: TapedRecord | undefined, run: RunSummary | undefined): Promise<RunOutcome | undefined> {
  if (end?.record.type !== 'thread.completed') return undefined;
  const { status, verdict, final_report } = end.record;
  if (status !== run?.status || verdict.class !== run.class || verdict.exit_code !== run.exit_code) return undefined;
  const { RunOutcome } = await import('../outcome/outcome.ts');
  const outcome = RunOutcome.safeParse(final_report).data;
  return outcome?.status === status && outcome.verdict.class === verdict.class ? outcome : undefined;
}

/** The same from the beginning of a tape that is not as it was written: what is missing is added. */
async function* repairedRecords(
  life: Life,
  tape: Tape,
  { after = 0, stop, onDamaged }: Omit<Following, 'follow'>,
): AsyncGenerator<readonly TapedRecord[], RunOutcome | undefined> {
  let ready: TapedRecord[] = [];
  const reader = tapeReader({
    newId: () => life.id,
    onRecord: (record) => void (record.sequence > after && ready.push({ record })),
  });
  function take(): TapedRecord[] {
    const taken = ready;
    ready = [];
    return taken;
  }
  const parts = tape.follow(() => life.more());
  let end: TapeEnd;
  try {
    let next = await parts.next();
    for (; next.done !== true; next = await parts.next()) {
      stop?.throwIfAborted();
      reader.stdout(next.value);
      if (ready.length > 0) yield take();
    }
    end = next.value;
  } finally {
    await parts.return({ kind: 'cut' });
  }
  if (life.isRunning) return undefined;
  const kept = end.kind === 'whole' ? undefined : (await life.record())?.outcome;
  const damage = kept === undefined ? undefined : damageOf(end, kept);
  if (kept !== undefined && damage !== undefined) {
    onDamaged?.(damage);
    return wholeOutcome(kept);
  }
  const outcome = await endReading(reader);
  if (ready.length > 0) yield take();
  return outcome;
}

/** Whether a run is still running, as far as its reader follows it. */
class Life {
  readonly #ledger: Ledger;
  readonly #run: RunSummary;
  readonly #follow: Waiting | undefined;
  #looks = 0;
  isRunning: boolean;

  constructor(ledger: Ledger, run: RunSummary, follow: Waiting | undefined) {
    this.#ledger = ledger;
    this.#run = run;
    this.#follow = follow;
    this.isRunning = run.status === 'running';
  }

  get id(): string {
    return this.#run.id;
  }

  /** Waits for more of its tape; false: there will be none, or nobody waits for it. */
  async more(): Promise<boolean> {
    const follow = this.#follow;
    if (follow === undefined || !this.isRunning) return false;
    await follow.sleep(lookMs);
    if (follow.isRunning !== undefined) {
      this.isRunning = follow.isRunning();
      return true;
    }
    this.#looks += 1;
    if (this.#looks % looksPerCheck === 0) await endIfGone(this.#ledger, follow.now());
    // The ledger records the end after the last line is on the tape, so one more read is enough.
    this.isRunning = (await this.record())?.status === 'running';
    return true;
  }

  /** A run that has ended does not change. */
  async known(): Promise<RunSummary | undefined> {
    return this.#run.status === 'running' ? this.record() : this.#run;
  }

  record(): Promise<RunRecord | undefined> {
    return this.#ledger.store.get(this.#run.id);
  }
}

/** The tape of a killed run stops somewhere, and reading it gives what the ledger says; a success has its end on the tape. */
function damageOf(end: TapeEnd, { status }: LedgerOutcome): string | undefined {
  if (end.kind === 'broken') return end.message;
  return end.kind === 'cut' && status === 'success' ? 'it stops before the end of the run' : undefined;
}

/** The ledger does not keep what tools were given and gave back. */
function wholeOutcome(kept: LedgerOutcome): RunOutcome {
  return { ...kept, tool_calls: kept.tool_calls.map((call) => ({ ...call, inputs: {}, outputs: '' })) };
}

/** The first run that begins after this one. */
export async function nextRun(
  store: RunStore,
  before: RunSummary | undefined,
  { sleep }: Pick<Waiting, 'sleep'>,
): Promise<RunSummary> {
  for (;;) {
    const run = await newestRun(store);
    if (run !== undefined && run.id !== before?.id) return run;
    await sleep(lookMs);
  }
}
