// Every event of a run, whichever agent it was.
import { createReadStream } from 'node:fs';
import { decode } from 'runwire';

for await (const record of decode(createReadStream('examples/codex-run.jsonl'))) {
  if (record.type === 'item.started') console.log(record.sequence, record.kind, record.name);
}
// → 7 command command_execution
// → 11 file_edit file_change
// → 14 command command_execution
// → 18 file_edit file_change
// → 21 command command_execution
