// Run an agent: its events as they happen, then its outcome. Here the agent is a command that prints a recorded run.
import { run } from 'runwire';

const work = run({ command: ['cat', 'examples/codex-run.jsonl'], limits: { timeoutMs: 60_000 } });
for await (const record of work) {
  if (record.type === 'file.edited') console.log(record.operation, record.path);
}
const { verdict, message } = await work.outcome;
console.log(verdict.class, message);
// → created /workspace/notes.txt
// → modified /workspace/notes.txt
// → success I wrote notes.txt and changed bravo to BRAVO.
