import { priceLoader } from '../../builtin/config/price.ts';
import { findReader } from '../../dialects/registry.ts';
import { Failure } from '../../failure.ts';
import type { RunOutcome } from '../../outcome/outcome.ts';
import { endReading } from '../../ledger/run-tape.ts';
import { Reader } from '../../pipeline/reader.ts';
import { oneLine } from '../../terminal/plain.ts';
import { command } from '../command.ts';
import type { Context } from '../context.ts';
import { readFailOn } from '../../contract/fail-on.ts';
import { requestOptions } from '../../contract/flags.ts';
import { screenOf } from '../screen.ts';
import { eachSource } from '../runs/each-source.ts';
import { ledgerOption } from '../runs/ledger.ts';
import { printNotes, readSharedFlags, streamOptions, toldName } from '../streams.ts';
import { present } from '../../json/present.ts';

export const outcome = command({
  name: 'outcome',
  summary: 'Print the outcome of a run: verdict, answer, tools, files, tokens, cost',
  operands: '[FILE|RUN…]',
  description: `Reduces an agent's output to one RunOutcome: a JSON document, one line per file; on a terminal, text for people.
The verdict weighs everything that is known: the agent's claim, errors, denials, limits, an empty answer, a truncated
stream, and, if given, its stderr and how the process ended. A run in the ledger is named by its id, or "last".`,
  options: {
    ...streamOptions,
    'exit-code': { type: 'boolean', help: "Exit with the verdict's code instead of 0" },
    'fail-on': requestOptions['fail-on'],
    full: {
      type: 'boolean',
      help: 'Include every list entry and every byte of tool output, instead of the compact document',
    },
    json: { type: 'boolean', help: 'Print JSON, even on a terminal' },
    text: { type: 'boolean', help: 'Print text for people, even in a pipe' },
    prompt: { type: 'string', value: 'TEXT', help: 'The prompt of the run, if the stream does not contain it' },
    attempt: { type: 'string', value: 'N', help: 'Which attempt this was, counting from 1' },
    ...ledgerOption,
  },
  examples: [
    ['codex exec --json "fix the tests" | runwire outcome --exit-code && deploy', 'Continue only after a true success'],
    [
      'runwire outcome --stderr err.txt --process-exit 1 run.jsonl | jq .verdict',
      'Judge a stored run by all its evidence',
    ],
    ['runwire outcome --text run.jsonl', 'Verdict, why, files, cost and what to try, for people'],
    ["runwire outcome runs/*.jsonl | jq -s 'map(.metrics.cost) | add'", 'Add up what many runs cost'],
  ],
  async run(values, operands, context) {
    const flags = readSharedFlags(values, context);
    const from = values.from === undefined ? {} : { dialect: findReader(values.from) };
    const metadata = {
      ...present({ initial_prompt: values.prompt }),
      ...attemptOf(values.attempt),
    };
    const isText = values.json !== true && (values.text === true || context.stdoutIsTerminal);
    const failOn = values['fail-on'] === undefined ? {} : { failOn: readFailOn(values['fail-on']) };
    const loadPrice = priceLoader(context);
    let worst = 0;
    let noted = false;
    await eachSource(operands, values, context, async (source) => {
      const reader = new Reader({ ...from, ...flags.redact(), ...failOn, full: values.full === true, metadata });
      for await (const chunk of source.bytes) reader.stdout(chunk);
      for await (const chunk of flags.stderr() ?? []) reader.stderr(chunk);
      const result = await endReading(reader, flags.process, loadPrice);
      if (isText)
        await context.show(
          `${operands.length > 1 ? `\n${oneLine(toldName(source.name, context))}: ` : ''}${await textOf(result, context)}`,
        );
      else await context.print(`${JSON.stringify(result, null, context.stdoutIsTerminal ? 2 : 0)}\n`);
      if (worst === 0) worst = result.verdict.exit_code;
      noted ||= reader.notes.length > 0;
      printNotes(reader.notes, source, flags.notes, context);
    });
    if (flags.strict && noted) return 2;
    return values['exit-code'] === true ? worst : 0;
  },
});

async function textOf(result: RunOutcome, context: Context): Promise<string> {
  const [{ outcomeText }, { abilitiesOf, advise, deniedIn }] = await Promise.all([
    import('../../reports/outcome-text.ts'),
    import('../../ledger/advice.ts'),
  ]);
  const options = {
    ...(await abilitiesOf(result.provenance.agent)),
    denied: deniedIn(result),
    isFull: false,
    flags: () => [],
  };
  return outcomeText(result, advise(result, options), screenOf(context));
}

function attemptOf(text: string | undefined): { attempt_number?: number; retry_count?: number } {
  if (text === undefined) return {};
  if (!/^[1-9]\d*$/.test(text)) throw new Failure('input', `--attempt ${text}: expected a number from 1`);
  return { attempt_number: Number(text), retry_count: Number(text) - 1 };
}
