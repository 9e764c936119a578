import { hostname } from 'node:os';
import { messageOf } from '../failure.ts';
import { fieldOf } from '../json/field-of.ts';
import { RunOutcome } from '../outcome/outcome.ts';
import { Framer } from '../pipeline/framer.ts';
import { readAddress } from '../tapes/chunks/chunk.ts';
import { isDatabaseError } from '../stores/database.ts';
import { ledgerOutcome } from '../stores/ledger-outcome.ts';
import type { LedgerOutcome, RunRecord, RunSummary } from '../stores/run-store.ts';
import { PlaceAway, type Tape, type TapeEnd, type Tapes } from '../tapes/tape.ts';
import { allRuns, type Ledger } from './ledger.ts';

export interface Finding {
  /** `problem`: something is damaged; `warning`: something is missing. */
  level: 'problem' | 'warning';
  /** A run's id, a tape, or a part of the ledger. */
  where: string;
  what: string;
}

export interface Verified {
  runs: number;
  tapes: number;
  /** Runs of an older version, in which a changed figure or answer cannot be seen. */
  unsealed: number;
}

/** Runs the database's own check, then checks every run and every tape from its first byte to its last. Returns how much was checked. */
export async function* verifyLedger({ store, tapes }: Ledger): AsyncGenerator<Finding, Verified> {
  const keys = new Set<string>();
  /** Runs whose rows were found to be damaged already; they may not be readable. */
  const damaged = new Set<string>();
  const seen: Verified = { runs: 0, tapes: 0, unsealed: 0 };

  async function* checkStore(): AsyncGenerator<Finding> {
    // The index of some tapes is in the ledger: if it is damaged, tapes in files are still checked.
    for await (const { key } of tapes.list()) {
      keys.add(key);
      seen.tapes = keys.size;
    }
    for (const problem of await store.verify()) {
      damaged.add(problem.where);
      yield { level: 'problem', ...problem };
    }
    seen.unsealed = await store.unsealed();
  }
  async function* checkRuns(): AsyncGenerator<Finding> {
    for await (const run of allRuns(store, {})) {
      seen.runs += 1;
      if (run.tape === undefined) continue;
      const tape = keys.delete(run.tape) ? tapes.at(run.tape) : undefined;
      const found =
        tape === undefined
          ? missing(run, tapes)
          : await checkTape(tape, run, async () => (damaged.has(run.id) ? undefined : store.get(run.id)));
      if (found !== undefined) yield { ...found, where: run.id };
    }
  }
  for (const check of [checkStore, checkRuns]) {
    try {
      yield* check();
    } catch (error) {
      if (!isDatabaseError(error)) throw error;
      yield { level: 'problem', where: store.name, what: error.message };
    }
  }
  for (const key of keys) {
    yield { level: 'warning', where: key, what: 'the tape has no run in this ledger' };
    const tape = tapes.at(key);
    const end = tape === undefined ? undefined : await readThrough(tape);
    if (end?.kind === 'broken') yield { level: 'problem', where: key, what: end.message };
  }
  return seen;
}

type Found = Omit<Finding, 'where'> | undefined;

/** Files on other machines cannot be checked here. */
function missing({ tape, host, status }: RunSummary, tapes: Tapes): Found {
  if (tape !== undefined && readAddress(tape) !== undefined)
    return status === 'running' ? undefined : { level: 'warning', what: `its tape ${tapes.whereIs(tape, host)}` };
  return host !== undefined && host !== hostname() ? undefined : { level: 'warning', what: `its tape ${tape} is gone` };
}

async function checkTape(
  tape: Tape,
  { status, tape_sha256: sha256 }: RunSummary,
  whole: () => Promise<RunRecord | undefined>,
): Promise<Found> {
  let read: RunOutcome | undefined;
  const end = await readThrough(tape, (outcome) => void (read = outcome));
  if (end.kind === 'away') return { level: 'warning', what: `its tape could not be looked at: ${end.message}` };
  if (end.kind === 'broken') return { level: 'problem', what: `its tape is damaged: ${end.message}` };
  if (sha256 !== undefined && tape.digest !== undefined && (await tape.digest()) !== sha256)
    return { level: 'problem', what: 'its tape is damaged: it is not what was written' };
  // A killed run leaves its tape like this, and is reported as incomplete.
  if (end.kind === 'cut' && status !== 'running' && status !== 'incomplete')
    return { level: 'warning', what: 'its tape stops before the end of the run' };
  const other = read === undefined ? undefined : differing(read, (await whole())?.outcome);
  return other === undefined
    ? undefined
    : { level: 'problem', what: `its outcome was changed: ${other} is not what its tape says` };
}

/** What a run came to, as its tape ends with it and as the ledger has it. Texts are compared as the ledger keeps them. */
function differing(read: RunOutcome, kept: LedgerOutcome | undefined): string | undefined {
  // Another process ended it, and added what it found to what is on the tape.
  if (kept === undefined || kept.verdict.evidence.some(({ signal }) => signal === 'ledger')) return undefined;
  const taped = ledgerOutcome(read);
  const pairs: readonly (readonly [name: string, taped: unknown, kept: unknown])[] = [
    ['its verdict', taped.verdict.class, kept.verdict.class],
    ['its answer', taped.message, kept.message],
    ...(['cost', 'input_tokens', 'output_tokens'] as const).map(
      (name) => [name, taped.metrics[name], kept.metrics[name]] as const,
    ),
  ];
  return pairs.find(([, a, b]) => a !== b)?.[0];
}

/** Reads to the last byte and the last line: zstd notices some damage, and what it misses is no longer JSON. */
async function readThrough(
  tape: Tape,
  onEnd?: (outcome: RunOutcome) => void,
): Promise<TapeEnd | { kind: 'away'; message: string }> {
  let broken = 0;
  const framer = new Framer({
    value: (wire) => {
      const outcome =
        fieldOf(wire, 'type') === 'thread.completed'
          ? RunOutcome.safeParse(fieldOf(wire, 'final_report')).data
          : undefined;
      if (outcome !== undefined) onEnd?.(outcome);
    },
    text: (_text, cause) => void (broken += cause === 'cut' ? 0 : 1),
    note: () => {},
  });
  try {
    const lines = tape.read();
    for (;;) {
      const next = await lines.next();
      if (next.done !== true) framer.push(next.value);
      else if (next.value.kind === 'broken') return next.value;
      else {
        framer.end();
        return broken === 0
          ? next.value
          : { kind: 'broken', message: `${broken} line${broken === 1 ? '' : 's'} of it cannot be read` };
      }
    }
  } catch (error) {
    return { kind: error instanceof PlaceAway ? 'away' : 'broken', message: messageOf(error) };
  }
}
