// How did this run end?
import { createReadStream } from 'node:fs';
import { fold } from 'runwire';

const outcome = await fold(createReadStream('examples/codex-run.jsonl'));

console.log(outcome.verdict.class, outcome.verdict.exit_code);
console.log(outcome.message);
console.log(outcome.artifacts.map(({ path, operation }) => `${operation} ${path}`).join('\n'));
// → success 0
// → I wrote notes.txt and changed bravo to BRAVO.
// → created /workspace/notes.txt
