import { findWriter } from '../../dialects/registry.ts';
import { exitCodes, Failure } from '../../failure.ts';
import { Writer } from '../../pipeline/writer.ts';
import type { RunSummary, RunStore } from '../../stores/run-store.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import type { EventRecord } from '../../events/event.ts';
import { canDraw, margin, render } from '../../terminal/line.ts';
import { type Narration, narrate } from '../../run/sinks/narration/narration.ts';
import { Narrator } from '../../run/sinks/narration/narrator.ts';
import { Outlet } from '../../run/sinks/outlet.ts';
import type { Sink } from '../../run/sinks/sink.ts';
import { oneLine, plain } from '../../terminal/plain.ts';
import { answerSink, dialectSink } from '../../run/sinks/dialect.ts';
import { tapeOf } from '../../ledger/run-tape.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { namedRun, newestRun } from '../../ledger/find.ts';
import { lookMs, nextRun, runRecords } from '../../ledger/tail.ts';
import { recordsIn } from '../../ledger/tape-check.ts';
import { treeRecords } from '../../ledger/tail-tree.ts';
import { shortRunId } from '../../ids/run-id.ts';
import { ledgerOption, noSuchLedger, useLedger } from './ledger.ts';
import { screenOf } from '../screen.ts';

export const tail = command({
  name: 'runs tail',
  summary: 'Show what a run does, live and from any process',
  operands: '[ID]',
  description: `Prints the tape of a run, or of the last one if none is named: as text on a terminal, else as records (runwire),
or in any dialect. With -f it continues until the run ends, drawn live on a terminal; if there is no run yet, it waits for the first.`,
  options: {
    follow: { type: 'boolean', short: 'f', help: 'Keep printing until the run ends' },
    tree: { type: 'boolean', help: 'Also show the runs below it, each line with the end of the run id' },
    next: { type: 'boolean', help: 'Wait for the next run to begin, and follow it' },
    to: { type: 'string', short: 't', value: 'text|DIALECT', help: 'Write this dialect; text: for people' },
    ...ledgerOption,
  },
  examples: [
    ['runwire runs tail -f', 'Watch the run that another terminal started'],
    ['runwire runs tail -f --next --to runwire | my-dashboard', 'Live events of whatever runs next'],
    ['runwire runs tail -f --tree', 'Watch an orchestration with all its agents'],
    ['runwire runs tail last --to claude > run.jsonl', 'A finished run in the format of another tool'],
  ],
  async run(values, operands, context) {
    const [word, ...more] = operands;
    if (more.length > 0) throw new Failure('input', `one run at a time, not ${operands.join(' ')}`);
    if (values.next === true && word !== undefined)
      throw new Failure('input', 'give either --next or the id of a run, not both');
    const follow = values.follow === true || values.next === true;
    const to = values.to ?? (context.stdoutIsTerminal ? 'text' : 'runwire');
    if (to !== 'text') findWriter(to);
    let isWaiting = false;
    /** Undefined: there is no ledger yet, and a name that may be a typo does not create one. */
    const tryOnce = (): Promise<number | undefined> =>
      useLedger(
        values,
        context,
        async (ledger) => {
          const { store, tapes } = ledger;
          const run = await choose(store, word, { follow, next: values.next === true, isWaiting }, context);
          if (values.tree === true) return tailTree(ledger, run, { to, follow }, context);
          const found = await tapeOf(tapes, run);
          if ('missing' in found) throw new Failure('input', found.missing);
          const clock = new RunClock(run.started_at, context);
          const screen =
            follow && draws(to, context)
              ? await narrate({ tell: 'all', draws: true, clock: clock.now }, context)
              : undefined;
          const outlet = new Outlet(to === 'text' ? (pieces) => context.show(pieces.join('')) : context.print, () =>
            screen?.mute(),
          );
          const sinks =
            screen === undefined ? [sinkFor(to, outlet, context)] : [hiding(answerSink(outlet), screen), screen.sink];
          const damage = new Damage(context);
          const records = runRecords(ledger, run, found.tape, {
            ...(follow ? { follow: { now: context.now, sleep: clock.sleep } } : {}),
            onDamaged: (why) => damage.tell(run, why),
          });
          try {
            let next = await records.next();
            for (; next.done !== true; next = await records.next()) {
              for (const record of recordsIn(next.value)) {
                clock.pass(record);
                for (const sink of sinks) sink.record?.(record);
              }
              await outlet.ready();
            }
            const outcome = next.value;
            if (outcome !== undefined) for (const sink of sinks) sink.end?.(outcome);
            await outlet.close();
            if (outlet.problem !== undefined) throw outlet.problem;
          } finally {
            screen?.close();
          }
          return damage.exitCode;
        },
        async (name) => {
          if (!follow || (word !== undefined && word !== 'last')) return noSuchLedger(name);
          if (!isWaiting) context.warn(`runwire: waiting for a run to begin: ${name} does not exist yet`);
          isWaiting = true;
          return undefined;
        },
      );
    for (;;) {
      const exitCode = await tryOnce();
      if (exitCode !== undefined) return exitCode;
      await context.sleep(lookMs);
    }
  },
});

async function tailTree(
  ledger: Ledger,
  top: RunSummary,
  { to, follow }: { to: string; follow: boolean },
  context: Context,
): Promise<number> {
  const outlet = new Outlet(to === 'text' ? (pieces) => context.show(pieces.join('')) : context.print);
  const sinks = new Map<string, Sink>();
  const damage = new Damage(context);
  for await (const news of treeRecords(ledger, top, follow ? context : undefined)) {
    if ('missing' in news) continue;
    const { id } = news.run;
    const sink = sinks.get(id) ?? sinkFor(to, outlet, context, `${shortRunId(id)}  `);
    sinks.set(id, sink);
    if ('records' in news) for (const record of recordsIn(news.records)) sink.record?.(record);
    else {
      if (news.damage !== undefined) damage.tell(news.run, news.damage);
      if (news.outcome !== undefined) sink.end?.(news.outcome);
    }
    await outlet.ready();
  }
  await outlet.close();
  if (outlet.problem !== undefined) throw outlet.problem;
  return damage.exitCode;
}

/** Tapes that could not be shown to their end. */
class Damage {
  readonly #context: Context;
  exitCode: number = exitCodes.success;

  constructor(context: Context) {
    this.#context = context;
  }

  tell({ id, status }: RunSummary, why: string): void {
    this.exitCode = exitCodes.config;
    this.#context.warn(
      `runwire: the tape of ${shortRunId(id)} is damaged: ${oneLine(why, 400)}; the rest is lost, and its outcome (${status}) is the one in the ledger`,
    );
  }
}

async function choose(
  store: RunStore,
  word: string | undefined,
  { follow, next, isWaiting }: { follow: boolean; next: boolean; isWaiting: boolean },
  context: Context,
): Promise<RunSummary> {
  if (word !== undefined && word !== 'last') return namedRun(store, word);
  const newest = await newestRun(store);
  // Whoever waited for the ledger waited for its first run.
  if (newest !== undefined && (!next || isWaiting)) return newest;
  if (!follow) throw new Failure('input', 'no runs yet; -f waits for the first');
  if (!isWaiting) context.warn('runwire: waiting for a run to begin');
  return nextRun(store, newest, context);
}

/** Drawn as by the process that runs it: only where stdout and stderr are one terminal. */
function draws(to: string, { env, stdoutIsTerminal, stderrIsTerminal }: Context): boolean {
  return to === 'text' && stdoutIsTerminal && canDraw(env, stderrIsTerminal);
}

/** Hides the drawing before the answer is printed. */
function hiding(answer: Sink, screen: Narration): Sink {
  return {
    end(outcome) {
      screen.hide();
      answer.end?.(outcome);
    },
  };
}

/** The time of the last record while catching up, the real time afterwards. */
class RunClock {
  readonly #context: Pick<Context, 'now' | 'sleep'>;
  #last: number;
  #isLive = false;

  constructor(startedAt: number, context: Pick<Context, 'now' | 'sleep'>) {
    this.#last = startedAt;
    this.#context = context;
  }

  pass({ timestamp }: EventRecord): void {
    if (timestamp !== null) this.#last = Date.parse(timestamp);
  }

  readonly now = (): number => (this.#isLive ? this.#context.now() : this.#last);

  /** A reader that waits has caught up. */
  readonly sleep = (ms: number): Promise<void> => {
    this.#isLive = true;
    return this.#context.sleep(ms);
  };
}

function sinkFor(to: string, outlet: Outlet, context: Context, prefix = ''): Sink {
  if (to !== 'text') {
    const { dialect, variant } = findWriter(to);
    return dialectSink(new Writer(dialect, variant), outlet);
  }
  const { colours } = screenOf(context);
  const surface = context.stdoutIsTerminal ? 'terminal' : 'log';
  const narrator = new Narrator({
    say: (line) => outlet.write(`${prefix}${render(line, colours, margin(line, surface))}\n`),
    now: context.now,
    calls: 'lines',
    tell: 'all',
  });
  return {
    record: (record) => narrator.record(record),
    end(outcome) {
      if (outcome.verdict.class === 'success' && outcome.message !== '')
        outlet.write(`${plain(outcome.message).replace(/^/gm, prefix)}\n`);
      narrator.end(outcome);
    },
  };
}
