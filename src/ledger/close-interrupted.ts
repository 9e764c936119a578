import { timeInWords } from '../time/duration.ts';
import { messageOf } from '../failure.ts';
import type { EventRecord } from '../events/event.ts';
import type { RunOutcome } from '../outcome/outcome.ts';
import type { Reader } from '../pipeline/reader.ts';
import { present } from '../json/present.ts';
import type { Stopped } from '../stores/outbox.ts';
import { goneBy, isSameMachine, silenceMs, thisProcess } from '../processes/owner.ts';
import type { Ending, OpenRun, RunStore } from '../stores/run-store.ts';
import { placeOf, type Tapes } from '../tapes/tape.ts';

/**
 * Closes the runs whose process is gone, with everything on their tapes; returns their ids. If the tape is on
 * another machine, the run is closed with what the ledger knows, and that machine adds the rest when it is back.
 */
export async function closeInterrupted(store: RunStore, tapes: Tapes, now: number): Promise<string[]> {
  const self = thisProcess();
  const closed: string[] = [];
  for (const run of await store.open()) {
    // Whoever waits for a limit has no process, and may go on elsewhere; one that did not go on then is as good as gone.
    const isLate = run.waits_until === undefined ? undefined : now > run.waits_until + silenceMs;
    if (isLate === false) continue;
    const gone =
      goneBy({ owner: run.owner, heartbeat_at: now - run.silent_ms }, now, self) ??
      (isLate === true && run.silent_ms > silenceMs ? 'silence' : undefined);
    if (gone === undefined) continue;
    const { ending, isSeen } = await endingOf(run, tapes, gone);
    // A run that is only silent may report again, wherever its tape is.
    if (await store.closeInterrupted(run, ending, gone === 'silence' || !isSeen)) closed.push(run.id);
  }
  for (const run of await store.presumed(self.host)) {
    // Its own process still exists and knows better; or another machine has the same name.
    const gone = isSameMachine(run.owner, self)
      ? goneBy({ owner: run.owner, heartbeat_at: now - run.silent_ms }, now, self)
      : undefined;
    if (gone === undefined || (gone === 'silence' && run.tape_sha256 !== undefined)) continue;
    const { ending, isSeen } = await endingOf(run, tapes, gone);
    if (isSeen && (await store.closeInterrupted(run, ending, gone === 'silence'))) closed.push(run.id);
  }
  return closed;
}

interface Close {
  ending: Ending;
  /** False: its tape may still be on the machine that ran it. */
  isSeen: boolean;
}

/** What is known about the end of a run that nobody ended, or that was interrupted. */
export async function endingOf(run: OpenRun, tapes: Tapes, gone: 'process' | 'silence' | Stopped): Promise<Close> {
  // Loaded late: every run that ends looks for interrupted ones and seldom finds any, and reading them needs all dialects.
  const { endReading, tapeReader } = await import('./run-tape.ts');
  let taped = 0;
  let count = 0;
  let lastTaped: string | undefined;
  let isHeard = false;
  let lastAt = run.heartbeat_at;
  let thread = run.id;
  const reader = tapeReader({
    metadata: run.prompt === '' ? {} : { initial_prompt: run.prompt },
    onRecord({ timestamp, thread_id, source, synthetic }) {
      thread = thread_id;
      isHeard ||= source === 'agent' && !synthetic;
      if (timestamp !== null) lastAt = Math.max(lastAt, Date.parse(timestamp));
    },
  });
  // The lines as written: a reader holds back the end, and adds one if there was none.
  const onLines = (lines: Uint8Array): void => {
    for (let at = lines.indexOf(lineEnd); at >= 0; at = lines.indexOf(lineEnd, at + 1)) count += 1;
    const last = placeOf(lines.subarray(lines.lastIndexOf(lineEnd, lines.length - 2) + 1));
    taped = Math.max(taped, last.sequence ?? 0);
    lastTaped = last.timestamp ?? lastTaped;
  };
  const trouble = run.tape === undefined ? 'it has no tape' : await play(tapes, run.tape, reader, onLines);
  const last = Math.max(run.last_sequence, taped);
  if (typeof gone !== 'string') reader.stdout(limitLine(gone, { sequence: last + 1, thread_id: thread }));
  const outcome = await endReading(reader);
  const sha256 = trouble === undefined ? await tapes.at(run.tape ?? '')?.digest?.() : undefined;
  const known = trouble === undefined && taped >= run.last_sequence ? outcome : withKnown(outcome, run);
  return {
    ending: {
      outcome: explained(isHeard ? known : unheard(known), [
        whyGone(gone, run),
        trouble ?? onTape({ recorded: run.last_sequence, taped, count, lastTaped }),
      ]),
      ended_at: typeof gone === 'string' ? lastAt : gone.at,
      last_sequence: last,
      ...present({ tape_sha256: sha256 }),
    },
    isSeen: trouble === undefined || run.tape === undefined || (gone !== 'silence' && trouble !== notHere),
  };
}

const lineEnd = 10;

/** The limit that ended it, as a line of the tape; the last line of the tape may be incomplete. */
function limitLine({ at, limit }: Stopped, place: { sequence: number; thread_id: string }): Uint8Array {
  const record: EventRecord = {
    type: 'limit.reached',
    ...limit,
    ...place,
    timestamp: new Date(at).toISOString(),
    source: 'runner',
    synthetic: false,
  };
  return new TextEncoder().encode(`\n${JSON.stringify(record)}\n`);
}

function whyGone(gone: 'process' | 'silence' | Stopped, run: OpenRun): string {
  if (gone === 'silence') return silenceOf(run);
  return gone === 'process'
    ? 'the process that ran it is gone'
    : 'it could not be ended in order: something in it did not let go';
}

const notHere = 'its tape is not on this machine';

/** Returns what kept the tape from being read. */
async function play(
  tapes: Tapes,
  key: string,
  reader: Reader,
  onLines: (lines: Uint8Array) => void,
): Promise<string | undefined> {
  const tape = tapes.at(key);
  if (tape === undefined || (await tape.size()) === undefined) return notHere;
  try {
    for await (const lines of tape.read()) {
      onLines(lines);
      reader.stdout(lines);
    }
    return undefined;
  } catch (error) {
    return `its tape cannot be read: ${messageOf(error)}`;
  }
}

/** An outcome without a readable tape, filled in with what the run itself had recorded in the ledger. */
function withKnown(outcome: RunOutcome, run: OpenRun): RunOutcome {
  const {
    session_id,
    agent,
    agent_version: version,
    model: model_name,
    input_tokens,
    output_tokens,
    cost,
    tool_calls: tool_calls_count,
  } = run;
  const tokens =
    input_tokens === undefined && output_tokens === undefined ? undefined : (input_tokens ?? 0) + (output_tokens ?? 0);
  return {
    ...outcome,
    session_id: session_id ?? outcome.session_id,
    metadata: { ...outcome.metadata, ...present({ session_id }) },
    metrics: {
      ...outcome.metrics,
      ...present({
        model_name,
        input_tokens,
        output_tokens,
        tokens_used: tokens,
        tool_calls_count,
        cost,
        cost_source: cost === undefined ? undefined : ('reported' as const),
      }),
    },
    provenance: { ...outcome.provenance, ...present({ agent, version }) },
  };
}

interface Taped {
  /** The last sequence that the run told the ledger about, and the last one on its tape. */
  recorded: number;
  taped: number;
  count: number;
  /** When the last record came. */
  lastTaped: string | undefined;
}

/** What the tape has, and lacks of the records that the ledger knows of. */
function onTape({ recorded, taped, count, lastTaped }: Taped): string {
  if (count === 0) return recorded === 0 ? 'it had told nothing yet' : `its tape has none of its ${recorded} records`;
  const records =
    taped < recorded ? `${count} of its ${recorded} records` : count === 1 ? '1 record' : `${count} records`;
  return `its tape has ${records}${lastTaped === undefined ? '' : `, the last at ${lastTaped}`}`;
}

/** The agent may have said more than reached us, so nothing is known about its lines, claims and answers. */
function unheard(outcome: RunOutcome): RunOutcome {
  const { verdict } = outcome;
  if (verdict.class !== 'incomplete') return outcome;
  const evidence = [{ signal: 'verdict', detail: 'the run stopped without an end' }];
  return { ...outcome, verdict: { ...verdict, evidence } };
}

function silenceOf({ owner, silent_ms: ms }: OpenRun): string {
  return `nothing was heard of it from ${owner.host} for ${timeInWords(Math.round(ms / 60_000) * 60_000)}`;
}

function explained(outcome: RunOutcome, why: readonly (string | undefined)[]): RunOutcome {
  const evidence = { signal: 'ledger', detail: why.filter(Boolean).join('; ') };
  return { ...outcome, verdict: { ...outcome.verdict, evidence: [...outcome.verdict.evidence, evidence] } };
}
