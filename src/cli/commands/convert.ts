import { findReader, findWriter } from '../../dialects/registry.ts';
import { Failure } from '../../failure.ts';
import { Reader } from '../../pipeline/reader.ts';
import { Writer } from '../../pipeline/writer.ts';
import { command } from '../command.ts';
import { printNotes, readSharedFlags, sourcesOf, streamOptions } from '../streams.ts';

const flushAt = 64 * 1024;

export const convert = command({
  name: 'convert',
  summary: 'Translate a recorded or live stream from one dialect to another',
  operands: '[FILE…]',
  description: `Reads an agent's output and writes it in another dialect, line by line as it arrives. What the target
dialect cannot express is counted on stderr. \`runwire dialects\` lists the names; a variant follows a colon: claude:json.`,
  options: {
    ...streamOptions,
    to: {
      type: 'string',
      short: 't',
      value: 'DIALECT',
      help: 'Write this dialect (default: runwire, the lossless tape)',
    },
  },
  examples: [
    ['codex exec --json "fix the tests" | runwire convert --to agent-code', 'Codex, as agent-code events'],
    ['runwire convert run.jsonl > run.tape', 'Any stored stream, as a tape'],
    ['runwire convert --to claude:json --strict run.jsonl', 'Fail when something would be lost'],
  ],
  async run(values, operands, context) {
    const { dialect, variant } = findWriter(values.to ?? 'runwire');
    const flags = readSharedFlags(values, context);
    const from = values.from === undefined ? {} : { dialect: findReader(values.from) };
    let noted = false;
    for (const source of sourcesOf(operands, context)) {
      const writer = new Writer(dialect, variant);
      const reader = new Reader({
        ...from,
        ...flags.redact(),
        isWritten: writer.isRecords,
        onRecord: (record) => writer.record(record),
      });
      for await (const chunk of source.bytes) {
        reader.stdout(chunk);
        // A pipe is live: every line goes out as it arrives. A file is read in large pieces anyway.
        if (writer.size >= flushAt || (source.name === '<stdin>' && writer.size > 0))
          await context.print(writer.takePieces());
      }
      for await (const chunk of flags.stderr() ?? []) reader.stderr(chunk);
      const outcome = reader.end(flags.process);
      if (reader.dialect === undefined) {
        throw new Failure(
          'input',
          `${source.name}: no known dialect in it; name one with --from (see "runwire dialects")`,
        );
      }
      writer.end(outcome);
      await context.print(writer.takePieces());
      const notes = [...reader.notes, ...writer.notes];
      noted ||= notes.length > 0;
      printNotes(notes, source, flags.notes, context);
    }
    return flags.strict && noted ? 2 : 0;
  },
});
