import type { EventRecord } from '../events/event.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import type { RunStore, RunSummary } from '../stores/run-store.ts';
import type { Tape } from '../stores/tape.ts';
import { newestRun } from './find.ts';
import type { Ledger } from './ledger.ts';
import { endReading, tapeReader } from './run-tape.ts';
import { endIfGone } from './up-to-date.ts';

/** How often the end of a tape and the ledger are polled. */
const lookMs = 150;
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
}

/** The records of a run, live and from any process, in batches of whatever there is. Returns its outcome; undefined: it is still running, and must not get an invented end. */
export async function* runRecords(
  ledger: Ledger,
  run: RunSummary,
  tape: Tape,
  { after = 0, follow, stop }: Following = {},
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
  for await (const lines of tape.follow(more)) {
    stop?.throwIfAborted();
    reader.stdout(lines);
    if (ready.length > 0) yield take();
  }
  if (isRunning) return undefined;
  const outcome = await endReading(reader);
  if (ready.length > 0) yield take();
  return outcome;
}

/** The first run that begins after this one. */
export async function nextRun(store: RunStore, before: RunSummary | undefined, { sleep }: Pick<Waiting, 'sleep'>): Promise<RunSummary> {
  for (;;) {
    const run = await newestRun(store);
    if (run !== undefined && run.id !== before?.id) return run;
    await sleep(lookMs);
  }
}
