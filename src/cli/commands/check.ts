import { Failure } from '../../failure.ts';
import { command } from '../command.ts';
import { requestOptions } from '../../contract/flags.ts';
import { amount, readCount } from '../../contract/flag-values.ts';
import { ledgerOption } from '../runs/ledger.ts';
import { streamOptions } from '../streams.ts';

const { from, stderr, 'process-exit': processExit, 'no-redact': noRedact } = streamOptions;

export const check = command({
  name: 'check',
  summary: 'Check a run against expectations, or against another run',
  operands: '[FILE|RUN] [-- RUN-FLAGS…]',
  takesCommand: true,
  description: `Checks a tape or the output of an agent (a file, or stdin), a run in the ledger (its id, or "last"), or, after --, a run to start now.
Rules are given with --expect, in words or in a file, one per line; --against compares with another run. See "runwire schema expect".
Exits with 0 when the run succeeded and every rule holds, with 9 when a rule does not hold, else with the exit code of the run. If a
rule says how the run ends ("ends permission"), the rules alone decide. With --repeat, the share of runs that pass must reach --min-rate.`,
  options: {
    expect: requestOptions.expect,
    against: {
      type: 'string',
      value: 'FILE|RUN',
      help: 'Require the same class, tools and files as in this run, and about as many turns and as much cost',
    },
    factor: {
      type: 'string',
      value: 'N',
      help: 'Allow up to N times the turns and the cost of that run (default: 1.5)',
    },
    repeat: { type: 'string', value: 'N', help: 'Do the run after -- N times, and report how often it passes' },
    'min-rate': { type: 'string', value: 'RATE', help: 'The share of runs that must pass: 0 to 1 (default: 1)' },
    junit: { type: 'string', value: 'FILE', help: 'Write a JUnit report: a test case for each run, and for each rule' },
    from,
    stderr,
    'process-exit': processExit,
    'no-redact': noRedact,
    json: { type: 'boolean', help: 'Print JSON, even on a terminal' },
    text: { type: 'boolean', help: 'Print text for people, even in a pipe' },
    ...ledgerOption,
  },
  examples: [
    [
      `runwire check last --expect 'must run npm test' --expect 'must not touch test/**'`,
      'Did the last run do what it should?',
    ],
    ['runwire check run.tape --expect rules.txt --text', 'Rules in a file, results for people'],
    ['runwire check last --against 7kq2 --factor 2', 'A regression test of one run against another'],
    [
      `runwire check --repeat 10 --min-rate 0.8 --expect 'after: npm test' -- --agent codex --isolate auto "fix the bug"`,
      'How often does it work?',
    ],
  ],
  async run(values, operands, context, program) {
    const factor = ratio('--factor', values.factor, 1.5, Infinity);
    const minRate = ratio('--min-rate', values['min-rate'], 1, 1);
    const repeat = readCount('--repeat', values.repeat, 10);
    if (operands.length > 1) throw new Failure('input', 'check takes one file or run; see --help');
    if (program === undefined && (repeat !== undefined || values['min-rate'] !== undefined))
      throw new Failure(
        'input',
        '--repeat needs a run to start: runwire check --repeat 5 --expect RULE -- --agent codex "fix the bug"',
      );
    if (program !== undefined && operands.length > 0)
      throw new Failure('input', 'check takes a stored run or, after --, one to start; not both');
    if ((values.expect ?? []).length === 0 && values.against === undefined)
      throw new Failure(
        'input',
        `nothing to check: give --expect, such as --expect 'must run npm test', or --against RUN`,
      );
    const request = {
      values,
      factor,
      isText: values.json !== true && (values.text === true || context.stdoutIsTerminal),
    };
    if (program === undefined)
      return (await import('../expect/check-stored.ts')).checkStored(request, operands[0], context);
    return (await import('../expect/check-live.ts')).checkLive(
      { ...request, repeat: repeat ?? 1, minRate, words: program },
      context,
    );
  },
});

function ratio(flag: string, text: string | undefined, usual: number, most: number): number {
  const value = text === undefined ? usual : amount(text);
  if (value === undefined || value <= 0 || value > most)
    throw new Failure(
      'input',
      `${flag} ${text}: expected a number above 0${most === Infinity ? '' : ` and up to ${most}`}, such as ${usual === 1 ? 0.8 : usual}`,
    );
  return value;
}
