import type { EventRecord } from '../events/event.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import type { LedgerOutcome, RunStore, RunSummary } from '../stores/run-store.ts';
import type { Tape, TapeEnd } from '../stores/tape.ts';
import { newestRun } from './find.ts';
import type { Ledger } from './ledger.ts';
import { endReading, tapeReader } from './run-tape.ts';
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

/** The records of a run, live and from any process, in batches of whatever there is. Returns its outcome; undefined: it is still running, and must not get an invented end. */
export async function* runRecords(
  ledger: Ledger,
  run: RunSummary,
  tape: Tape,
  { after = 0, follow, stop, onDamaged }: Following = {},
): AsyncGenerator<readonly EventRecord[], RunOutcome | undefined> {
  let ready: EventRecord[] = [];
  let isRunning = run.status === 'running';
  let looks = 0;
  const reader = tapeReader({
    newId: () => run.id,
    onRecord: (record) => void (record.sequence > after && ready.push(record)),
  });
  function take(): EventRecord[] {
    const taken = ready;
    ready = [];
    return taken;
  }
  async function more(): Promise<boolean> {
    if (follow === undefined || !isRunning) return false;
    await follow.sleep(lookMs);
    if (follow.isRunning !== undefined) {
      isRunning = follow.isRunning();
      return true;
    }
    looks += 1;
    if (looks % looksPerCheck === 0) await endIfGone(ledger, follow.now());
    // The ledger records the end after the last line is on the tape, so one more read is enough.
    isRunning = (await ledger.store.get(run.id))?.status === 'running';
    return true;
  }
  const parts = tape.follow(more);
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
  if (isRunning) return undefined;
  const kept = end.kind === 'whole' ? undefined : (await ledger.store.get(run.id))?.outcome;
  const damage = kept === undefined ? undefined : damageOf(end, kept);
  if (kept !== undefined && damage !== undefined) {
    onDamaged?.(damage);
    return wholeOutcome(kept);
  }
  const outcome = await endReading(reader);
  if (ready.length > 0) yield take();
  return outcome;
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
export async function nextRun(store: RunStore, before: RunSummary | undefined, { sleep }: Pick<Waiting, 'sleep'>): Promise<RunSummary> {
  for (;;) {
    const run = await newestRun(store);
    if (run !== undefined && run.id !== before?.id) return run;
    await sleep(lookMs);
  }
}
