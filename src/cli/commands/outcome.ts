import { findDialect } from '../../dialects/registry.ts';
import { Failure } from '../../failure.ts';
import { Reader } from '../../pipeline/reader.ts';
import { command } from '../command.ts';
import { failOnOf, failOnOption } from '../fail-on.ts';
import { printNotes, readSharedFlags, sourcesOf, streamOptions } from '../streams.ts';

export const outcome = command({
  name: 'outcome',
  summary: 'What a run came to: verdict, answer, tools, files, tokens, cost',
  operands: '[FILE…]',
  description: `Folds an agent's output to one RunOutcome, a JSON document: one line per file, indented on a terminal.
The verdict weighs everything that is known: the agent's claim, errors, denials, limits, an empty answer, a cut
stream, and, if given, its stderr and how the process ended.`,
  options: {
    ...streamOptions,
    'exit-code': { type: 'boolean', help: "Exit with the verdict's code instead of 0" },
    'fail-on': failOnOption,
    full: { type: 'boolean', help: 'Every list entry and every byte of tool output, not the compact document' },
    prompt: { type: 'string', value: 'TEXT', help: 'The prompt of the run, where the stream does not hold it' },
    attempt: { type: 'string', value: 'N', help: 'Which attempt this was, from 1' },
  },
  examples: [
    ['codex exec --json "fix the tests" | runwire outcome --exit-code && deploy', 'Go on only after a true success'],
    ['runwire outcome --stderr err.txt --process-exit 1 run.jsonl | jq .verdict', 'Judge a stored run by all its evidence'],
    ["runwire outcome runs/*.jsonl | jq -s 'map(.metrics.cost) | add'", 'Add up what many runs cost'],
  ],
  async run(values, operands, context) {
    const flags = readSharedFlags(values, context);
    const from = values.from === undefined ? {} : { dialect: findDialect(values.from) };
    const metadata = {
      ...(values.prompt === undefined ? {} : { initial_prompt: values.prompt }),
      ...attemptOf(values.attempt),
    };
    const failOn = failOnOf(values['fail-on']);
    let worst = 0;
    let noted = false;
    for (const source of sourcesOf(operands, context)) {
      const reader = new Reader({ ...from, ...flags.redact(), ...failOn, full: values.full === true, metadata });
      for await (const chunk of source.bytes) reader.stdout(chunk);
      for await (const chunk of flags.stderr() ?? []) reader.stderr(chunk);
      const price = reader.needsPrice ? await (await import('../../outcome/price-table.ts')).loadPrices() : undefined;
      const result = reader.end(flags.process, price);
      await context.print(`${JSON.stringify(result, null, context.stdoutIsTerminal ? 2 : 0)}\n`);
      if (worst === 0) worst = result.verdict.exit_code;
      noted ||= reader.notes.length > 0;
      printNotes(reader.notes, source, flags.notes, context);
    }
    if (flags.strict && noted) return 2;
    return values['exit-code'] === true ? worst : 0;
  },
});

function attemptOf(text: string | undefined): { attempt_number?: number; retry_count?: number } {
  if (text === undefined) return {};
  if (!/^[1-9]\d*$/.test(text)) throw new Failure('input', `--attempt ${text}: expected a number from 1`);
  return { attempt_number: Number(text), retry_count: Number(text) - 1 };
}
