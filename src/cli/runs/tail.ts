import { findWriter } from '../../dialects/registry.ts';
import { Failure } from '../../failure.ts';
import { Writer } from '../../pipeline/writer.ts';
import type { RunSummary, RunStore } from '../../stores/run-store.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { render } from '../../terminal/line.ts';
import { Narrator } from '../../run/sinks/narration/narrator.ts';
import { Outlet } from '../../run/sinks/outlet.ts';
import type { Sink } from '../../run/sinks/sink.ts';
import { plain } from '../../terminal/plain.ts';
import { dialectSink } from '../../run/sinks/dialect.ts';
import { endInterrupted, findRun, ledgerOption, noSuchLedger, useLedger } from './ledger.ts';
import { playTape, tapeOf } from '../../ledger/run-tape.ts';
import { screenOf } from './table.ts';

/** How often the end of a file, and the ledger, are looked at again. */
const lookMs = 150;
/** How many of these looks until we ask whether the process of the run is still there. */
const looksPerCheck = 10;

export const tail = command({
  name: 'runs tail',
  summary: 'What a run does, live and from any process',
  operands: '[ID]',
  description: `Reads the tape of a run, the last one if none is named: for people on a terminal, else as records (runwire),
or in any dialect. With -f it goes on until the run ends; where there is no run yet, it waits for the first.`,
  options: {
    follow: { type: 'boolean', short: 'f', help: 'Wait for what comes, until the run ends' },
    next: { type: 'boolean', help: 'The next run to begin, not the last one; goes with --follow' },
    to: { type: 'string', short: 't', value: 'text|DIALECT', help: 'Write this dialect; text: for people' },
    ...ledgerOption,
  },
  examples: [
    ['runwire runs tail -f', 'Watch the run that another terminal started'],
    ['runwire runs tail -f --next --to dev-agent | my-dashboard', 'Live events of whatever runs next'],
    ['runwire runs tail last --to claude > run.jsonl', 'A finished run in the format of another tool'],
  ],
  async run(values, operands, context) {
    const [word, ...more] = operands;
    if (more.length > 0) throw new Failure('input', `one run at a time, not ${operands.join(' ')}`);
    if (values.next === true && word !== undefined) throw new Failure('input', 'either --next or the id of a run');
    const follow = values.follow === true || values.next === true;
    const to = values.to ?? (context.stdoutIsTerminal ? 'text' : 'runwire');
    if (to !== 'text') findWriter(to);
    return useLedger(
      values,
      context,
      async (ledger) => {
        const { store, tapes } = ledger;
        const run = await choose(store, word, { follow, next: values.next === true }, context);
        const found = await tapeOf(tapes, run);
        if ('missing' in found) throw new Failure('input', found.missing);
        const outlet = new Outlet(context.print, () => {});
        const sink = sinkFor(to, outlet, context);
        let running = run.status === 'running';
        let looks = 0;
        const reader = await playTape(found.tape, { newId: () => run.id, onRecord: (record) => sink.record?.(record) }, async () => {
          await outlet.close();
          if (!follow || !running) return false;
          await context.sleep(lookMs);
          looks += 1;
          if (looks % looksPerCheck === 0) await endInterrupted(ledger, context);
          // Its end is in the ledger after the last line is on the tape: one more look will do.
          running = (await store.get(run.id))?.status === 'running';
          return true;
        });
        // The end of a run that goes on is not ours to invent.
        if (!running) {
          const price = reader.needsPrice ? await (await import('../../outcome/price-table.ts')).loadPrices() : undefined;
          const outcome = reader.end(undefined, price);
          sink.end?.(outcome);
        }
        await outlet.close();
        return 0;
      },
      follow ? undefined : noSuchLedger,
    );
  },
});

async function choose(
  store: RunStore,
  word: string | undefined,
  { follow, next }: { follow: boolean; next: boolean },
  context: Context,
): Promise<RunSummary> {
  if (word !== undefined && word !== 'last') return findRun(store, word);
  const latest = async (): Promise<RunSummary | undefined> => (await store.list({}, { limit: 1 })).runs[0];
  const before = await latest();
  if (before !== undefined && !next) return before;
  if (!follow) throw new Failure('input', 'no runs yet; -f waits for the first');
  context.warn('runwire: waiting for a run to begin');
  for (;;) {
    const run = await latest();
    if (run !== undefined && run.id !== before?.id) return run;
    await context.sleep(lookMs);
  }
}

function sinkFor(to: string, outlet: Outlet, context: Context): Sink {
  if (to !== 'text') {
    const { dialect, variant } = findWriter(to);
    return dialectSink(new Writer(dialect, variant), outlet);
  }
  const { colours } = screenOf(context);
  const narrator = new Narrator({
    say: (line) => outlet.write(`${render(line, colours)}\n`),
    now: context.now,
    calls: 'lines',
    tell: 'all',
  });
  return {
    record: (record) => narrator.record(record),
    end(outcome) {
      if (outcome.verdict.class === 'success' && outcome.message !== '') outlet.write(`${plain(outcome.message)}\n`);
      narrator.end(outcome);
    },
  };
}
