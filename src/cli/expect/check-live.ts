import { compareWith } from '../../expect/against.ts';
import { checkCode, judgedBy } from '../../expect/judged.ts';
import { passRate } from '../../expect/wilson.ts';
import { exitCodes, Failure } from '../../failure.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { percent } from '../../terminal/figures.ts';
import { paint } from '../../terminal/paint.ts';
import { oneLine } from '../../terminal/plain.ts';
import { present } from '../../json/present.ts';
import { run } from '../commands/run.ts';
import type { Context } from '../context.ts';
import { parseWords } from '../parse.ts';
import type { RunValues } from '../run/options.ts';
import { startRun } from '../run/start.ts';
import { screenOf } from '../screen.ts';
import { type StoredCheck, readOutcome } from './check-stored.ts';
import { tellCheck, writeJunit } from './tell.ts';

interface LiveCheck extends StoredCheck {
  repeat: number;
  minRate: number;
  /** The words that follow `--`: a command line of `run`. */
  words: readonly string[];
}

interface Tried {
  outcome: RunOutcome;
  code: number;
}

/** Does a run once, or several times to measure how often it passes. */
export async function checkLive(
  { values, factor, isText, repeat, minRate, words }: LiveCheck,
  context: Context,
): Promise<number> {
  const own = words[0] === 'run' ? words.slice(1) : words;
  const end = own.indexOf('--');
  const [flags, program] = end === -1 ? [own, undefined] : [own.slice(0, end), own.slice(end + 1)];
  const parsed = parseWords(run, flags);
  const given = parsed.values as RunValues;
  const flagged: RunValues = {
    'no-github': true,
    ...given,
    expect: [...(given.expect ?? []), ...(values.expect ?? [])],
    ...present({ ledger: given.ledger ?? values.ledger, tapes: given.tapes ?? values.tapes }),
  };
  const base =
    values.against === undefined
      ? undefined
      : await readOutcome(values.against, { ledger: values.ledger, tapes: values.tapes }, context, {});
  const tried: Tried[] = [];
  try {
    while (tried.length < repeat) {
      const made = await once(flagged, parsed.operands, program, context);
      const compared = base === undefined ? [] : compareWith(base, made, factor);
      const outcome = compared.length === 0 ? made : judgedBy([...(made.expectations ?? []), ...compared], made);
      tried.push({ outcome, code: checkCode(outcome) });
      // A user who interrupts one run means all of them.
      if (outcome.verdict.class === 'cancelled') break;
    }
    if (values.junit !== undefined)
      await writeJunit(
        values.junit,
        tried.map(({ outcome }) => outcome),
        context,
      );
    const [only] = tried;
    if (repeat === 1 && only !== undefined) {
      await tellCheck(only.outcome, only.code, isText, context);
      return only.code;
    }
    return await tellRate(tried, { minRate, isText }, context);
  } finally {
    context.leaveSoon();
  }
}

async function once(
  values: RunValues,
  operands: readonly string[],
  program: readonly string[] | undefined,
  context: Context,
): Promise<RunOutcome> {
  let outcome: RunOutcome | undefined;
  const quiet: Context = {
    ...context,
    // stdout is for the result of the check, and stdin would be used up by the first run.
    print: async () => {},
    stdin: nothing(),
    stdinIsTerminal: true,
    leaveSoon() {},
  };
  await startRun(values, operands, quiet, { command: program, onOutcome: (result) => void (outcome = result) });
  if (outcome === undefined) throw new Failure('config', 'the run has no outcome');
  return outcome;
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

async function tellRate(
  tried: readonly Tried[],
  { minRate, isText }: { minRate: number; isText: boolean },
  context: Context,
): Promise<number> {
  const total = passRate(tried.filter(({ code }) => code === 0).length, tried.length);
  const rules = new Map<string, { passed: number; runs: number }>();
  for (const { outcome } of tried)
    for (const { rule, passed } of outcome.expectations ?? []) {
      const known = rules.get(rule) ?? { passed: 0, runs: 0 };
      rules.set(rule, { passed: known.passed + Number(passed), runs: known.runs + 1 });
    }
  const rates = Array.from(rules, ([rule, { passed, runs }]) => ({ rule, ...passRate(passed, runs) }));
  const isCancelled = tried.at(-1)?.outcome.verdict.class === 'cancelled';
  const code = isCancelled
    ? (tried.at(-1)?.outcome.verdict.exit_code ?? 130)
    : total.rate >= minRate
      ? 0
      : exitCodes.expectation;
  if (isText) {
    const screen = screenOf(context);
    const line = ({ rate, low, high, passed, runs }: typeof total): string =>
      `${percent(rate)} (${passed} of ${runs}; ${percent(low)} to ${percent(high)} with 95 % confidence)`;
    await context.show(
      `${rates.map((each) => `${oneLine(each.rule, 200)}: ${line(each)}\n`).join('')}${paint(code === 0 ? 'passed' : 'failed', code === 0 ? 'green' : 'red', screen)}  ${line(total)}\n`,
    );
    return code;
  }
  const results = tried.map(({ outcome, code: exit_code }) => ({
    passed: exit_code === 0,
    exit_code,
    class: outcome.verdict.class,
    session_id: outcome.session_id,
    ...present({ cost: outcome.metrics.cost, duration_ms: outcome.metrics.duration_ms }),
    expectations: outcome.expectations ?? [],
  }));
  await context.print(
    `${JSON.stringify({ exit_code: code, min_rate: minRate, ...total, rules: rates, results }, null, context.stdoutIsTerminal ? 2 : 0)}\n`,
  );
  return code;
}
