import { checkClaims } from '../../claims/check-claims.ts';
import type { Claim } from '../../claims/claim.ts';
import { FactsFold } from '../../claims/facts/fold.ts';
import { findReader } from '../../dialects/registry.ts';
import { endReading } from '../../ledger/run-tape.ts';
import { Reader } from '../../pipeline/reader.ts';
import { oneLine } from '../../terminal/plain.ts';
import { rerunOptions } from '../claims/options.ts';
import { command } from '../command.ts';
import { eachSource } from '../runs/each-source.ts';
import { ledgerOption } from '../runs/ledger.ts';
import { printNotes, readSharedFlags, streamOptions, toldName } from '../streams.ts';

export const claims = command({
  name: 'claims',
  summary: "Check an agent's answer against what happened, sentence by sentence",
  operands: '[FILE|RUN…]',
  description: `Reads the final answer of a run sentence by sentence, and judges what each claims ("All tests pass", "pushed to main")
by the tool calls of the run: their commands, exit codes, output and edits. No model is asked, and nothing is executed, unless --rerun
has the commands of the agent run again in fresh copies of its work.
supported: a fact shows it. contradicted: a fact shows the opposite. not_shown: nothing in the run shows it.
A run in the ledger is named by its id, or "last".`,
  options: {
    ...streamOptions,
    ...rerunOptions,
    json: { type: 'boolean', help: 'Print JSON, one object per file on a line' },
    all: { type: 'boolean', help: 'For people: list what is supported as well' },
    ...ledgerOption,
  },
  examples: [
    ['runwire claims run.jsonl', 'What the answer claims that the run refutes, or does not show'],
    ['runwire claims --json runs/*.jsonl | jq -c .claims[]', 'Every claim of many runs'],
    ['runwire claims last', 'Check the newest run in the ledger'],
  ],
  async run(values, operands, context) {
    const flags = readSharedFlags(values, context);
    if (values.rerun === true) {
      const { eachRunAgain } = await import('../claims/rerun.ts');
      await eachRunAgain(operands, values, context, async (file, found) =>
        values.json === true
          ? context.print(`${JSON.stringify({ file, claims: found })}\n`)
          : context.show(textOf(file, found, values.all === true)),
      );
      return 0;
    }
    const from = values.from === undefined ? {} : { dialect: findReader(values.from) };
    let noted = false;
    await eachSource(operands, values, context, async (source) => {
      const facts = new FactsFold();
      const reader = new Reader({ ...from, ...flags.redact(), full: true, onRecord: (record) => facts.see(record) });
      for await (const chunk of source.bytes) reader.stdout(chunk);
      for await (const chunk of flags.stderr() ?? []) reader.stderr(chunk);
      const outcome = await endReading(reader, flags.process);
      const found = checkClaims(outcome.message, facts.facts());
      const file = toldName(source.name, context);
      if (values.json === true) await context.print(`${JSON.stringify({ file, claims: found })}\n`);
      else await context.show(textOf(file, found, values.all === true));
      noted ||= reader.notes.length > 0;
      printNotes(reader.notes, source, flags.notes, context);
    });
    return flags.strict && noted ? 2 : 0;
  },
});

function textOf(file: string, found: readonly Claim[], isAll: boolean): string {
  const counts = (['supported', 'contradicted', 'not_shown'] as const).map(
    (verdict) => `${found.filter((claim) => claim.verdict === verdict).length} ${wordOf(verdict)}`,
  );
  const shown = found.filter(
    ({ verdict, evidence }) => isAll || verdict !== 'supported' || evidence.some(({ grade }) => grade === 'rerun'),
  );
  const lines = shown.map(({ quote, verdict, evidence }) => {
    const why = evidence.map((each) => `\n    ${oneLine(each.why)}`).join('');
    return `  ${wordOf(verdict)}: "${oneLine(quote)}"${why}`;
  });
  return `${[`${oneLine(file)}: ${counts.join(', ')}`, ...lines].join('\n')}\n`;
}

function wordOf(verdict: Claim['verdict']): string {
  return verdict.replace('_', ' ');
}
