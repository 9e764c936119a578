// One dialect into another, and what got lost on the way.
import { createReadStream } from 'node:fs';
import { convert } from 'runwire';

const lines = convert(createReadStream('examples/false-success.jsonl'), 'codex', {
  process: { exit_code: 0, signal: null },
  onNote: ({ kind, what, count }) => console.log(kind, what, count),
});
let last = '';
for await (const text of lines) last = text.trimEnd().split('\n').at(-1) ?? last;
console.log(last);
// → lost prompt 1
// → lost turn_boundary 3
// → lost process 1
// → {"type":"turn.failed","error":{"message":"500 The server had an error while processing your request."}}
