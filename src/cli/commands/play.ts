import { findReader, findWriter } from '../../dialects/registry.ts';
import { Failure } from '../../failure.ts';
import { decode } from '../../pipeline/convert.ts';
import { Writer } from '../../pipeline/writer.ts';
import { present } from '../../json/present.ts';
import { fileTape } from '../../tapes/file-tape.ts';
import { streamOf } from '../../tapes/tape.ts';
import { eachSource } from '../runs/each-source.ts';
import { ledgerOption } from '../runs/ledger.ts';
import { command } from '../command.ts';
import { printNotes, redaction, streamOptions, toldName } from '../streams.ts';
import type { Note } from '../../outcome/fold.ts';

export const play = command({
  name: 'play',
  summary: 'Replay a tape to stdout, with its original timing',
  operands: '[FILE|RUN…]',
  description: `Plays a tape, or any stored stream whose lines have timestamps, as if the agent were running now:
for demos, dashboards and tests of programs that read a live stream. A run in the ledger is named by its id, or "last".`,
  options: {
    from: streamOptions.from,
    to: { type: 'string', short: 't', value: 'DIALECT', help: 'Write this dialect (default: runwire)' },
    speed: { type: 'string', value: 'N|max', help: 'Play N times as fast (default: 1); max: without waiting' },
    notes: streamOptions.notes,
    'no-redact': streamOptions['no-redact'],
    ...ledgerOption,
  },
  examples: [
    ['runwire play run.tape', 'As it happened'],
    ['runwire play last', 'The last run in the ledger, wherever its tape is'],
    ['runwire play run.tape --speed 10 | my-dashboard', 'Ten times as fast, for a dashboard'],
  ],
  async run(values, operands, context) {
    const { dialect, variant } = findWriter(values.to ?? 'runwire');
    const speed = speedOf(values.speed);
    const from = values.from === undefined ? undefined : findReader(values.from).id;
    const unpacking = { ...context, readFile: (path: string) => streamOf(fileTape(path, context.readFile)) };
    await eachSource(operands, values, unpacking, async (source) => {
      const writer = new Writer(dialect, variant);
      const notes: Note[] = [];
      let first: number | undefined;
      const start = context.now();
      const records = decode(source.bytes, {
        ...present({ from }),
        ...redaction(values['no-redact'], context),
        onNote: (note) => void notes.push(note),
      });
      let next = await records.next();
      for (; next.done !== true; next = await records.next()) {
        const record = next.value;
        const at = record.timestamp === null ? undefined : Date.parse(record.timestamp);
        first ??= at;
        if (at !== undefined && first !== undefined && speed !== Infinity) {
          const due = start + (at - first) / speed - context.now();
          if (due > 0) {
            if (writer.size > 0) await context.print(writer.take());
            await context.sleep(due);
          }
        }
        writer.record(record);
      }
      writer.end(next.value);
      await context.print(writer.take());
      if (first === undefined && speed !== Infinity)
        context.warn(
          `runwire: ${toldName(source.name, context)}: its lines have no timestamps, so it was written at once`,
        );
      printNotes(
        [...notes, ...writer.notes],
        source,
        values.notes === 'json' || values.notes === 'none' ? values.notes : 'text',
        context,
      );
    });
    return 0;
  },
});

function speedOf(text: string | undefined): number {
  if (text === undefined) return 1;
  if (text === 'max') return Infinity;
  const speed = Number(text);
  if (text.trim() === '' || !(speed > 0))
    throw new Failure('input', `--speed ${text}: expected a number above 0, or max`);
  return speed;
}
