import { hostname } from 'node:os';
import { Failure } from '../../failure.ts';
import { Framer } from '../../pipeline/framer.ts';
import type { RunSummary } from '../../stores/run-store.ts';
import type { Tape, TapeEnd } from '../../stores/tape.ts';
import { command } from '../command.ts';
import { oneLine } from '../../terminal/plain.ts';
import { counted } from './figures.ts';
import { isDatabaseError, ledgerOption, noRunsYet, useLedger } from './ledger.ts';

export interface Finding {
  /** `problem`: something is damaged; `warning`: something is not there any more. */
  level: 'problem' | 'warning';
  /** A run's id, a tape, or a part of the ledger. */
  where: string;
  what: string;
}

export const verify = command({
  name: 'runs verify',
  summary: 'Check the ledger and every tape',
  description: `The database's own check, every run's document, and every tape from its first byte to its last. One finding a line;
exits with 1 when there is a problem. A tape that is gone or has no run here is a warning: tapes are pruned by age and
size, and ledgers may share their folder; --strict takes warnings for problems.`,
  options: {
    strict: { type: 'boolean', help: 'Exit with 1 for warnings too' },
    json: { type: 'boolean', help: 'Findings as JSON lines; see "runwire schema run-finding"' },
    ...ledgerOption,
  },
  examples: [
    ['runwire runs verify && echo ok', 'After a crash, or before a backup'],
    ['runwire runs verify --json | jq -r \'select(.level == "problem") | .where\'', 'What to restore'],
  ],
  async run(values, operands, context) {
    if (operands.length > 0) throw new Failure('input', `unexpected "${operands.join(' ')}"; see --help`);
    return useLedger(
      values,
      context,
      async ({ store, tapes }) => {
        const counts = { problem: 0, warning: 0, runs: 0, tapes: 0 };
        async function tell(level: Finding['level'], where: string, what: string): Promise<void> {
          counts[level] += 1;
          const finding: Finding = { level, where, what };
          await context.print(
            values.json === true ? `${JSON.stringify(finding)}\n` : `${level}: ${oneLine(where, 400)}: ${oneLine(what, 400)}\n`,
          );
        }
        async function checkLedger(): Promise<void> {
          for (const { where, what } of await store.verify()) await tell('problem', where, what);
        }
        const found = new Set<string>();
        for await (const { key } of tapes.list()) found.add(key);
        counts.tapes = found.size;
        async function checkRuns(): Promise<void> {
          for (let after: string | undefined; ;) {
            const page = await store.list({}, { limit: 500, ...(after === undefined ? {} : { after }) });
            for (const run of page.runs) {
              counts.runs += 1;
              if (run.tape === undefined) continue;
              const tape = found.delete(run.tape) ? tapes.at(run.tape) : undefined;
              const finding = tape === undefined ? missing(run) : await checkTape(tape, run);
              if (finding !== undefined) await tell(finding.level, run.id, finding.what);
            }
            if (page.next === undefined) return;
            after = page.next;
          }
        }
        for (const check of [checkLedger, checkRuns]) {
          try {
            await check();
          } catch (error) {
            if (!isDatabaseError(error)) throw error;
            await tell('problem', store.name, error.message);
          }
        }
        for (const key of found) {
          await tell('warning', key, 'the tape has no run in this ledger');
          const tape = tapes.at(key);
          const end = tape === undefined ? undefined : await readThrough(tape);
          if (end?.kind === 'broken') await tell('problem', key, end.message);
        }
        context.warn(
          `runwire: ${counted(counts.runs, 'run')}, ${counted(counts.tapes, 'tape')}: ${counted(counts.problem, 'problem')}, ${counted(counts.warning, 'warning')}`,
        );
        return counts.problem > 0 || (values.strict === true && counts.warning > 0) ? 1 : 0;
      },
      (name) => noRunsYet(context, name),
    );
  },
});

type Found = Pick<Finding, 'level' | 'what'> | undefined;

/** The tapes of other machines are not here to look at. */
function missing({ tape, host }: RunSummary): Found {
  return host !== undefined && host !== hostname() ? undefined : { level: 'warning', what: `its tape ${tape} is gone` };
}

async function checkTape(tape: Tape, { status }: RunSummary): Promise<Found> {
  const end = await readThrough(tape);
  if (end.kind === 'broken') return { level: 'problem', what: `its tape is damaged: ${end.message}` };
  // A run that was killed leaves its tape so, and is told as incomplete.
  if (end.kind === 'cut' && status !== 'running' && status !== 'incomplete')
    return { level: 'warning', what: 'its tape stops before the end of the run' };
  return undefined;
}

/** To the last byte and the last line: zstd notices some damage, and what it lets through is no JSON any more. */
async function readThrough(tape: Tape): Promise<TapeEnd> {
  let broken = 0;
  const framer = new Framer({
    value: () => {},
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
        return broken === 0 ? next.value : { kind: 'broken', message: `${counted(broken, 'line')} of it cannot be read` };
      }
    }
  } catch (error) {
    return { kind: 'broken', message: error instanceof Error ? error.message : String(error) };
  }
}
