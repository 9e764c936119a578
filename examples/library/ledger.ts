// What the ledger remembers: find a run, read its records again, ask what it did and what it cost.
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLedger, run } from 'runwire';

const ledger = join(await mkdtemp(join(tmpdir(), 'runs-')), 'ledger.db');
await run({ command: ['cat', 'examples/codex-run.jsonl'], ledger, labels: { team: 'docs' } }).outcome;

const runs = await openLedger({ ledger });
const { id, status, tool_calls } = await runs.find('last');
console.log(status, tool_calls);
for await (const record of runs.records(id)) {
  if (record.type === 'file.edited') console.log(record.operation, record.path);
}
const { entries } = await runs.timeline(id);
console.log(entries.map(({ name }) => name).join(' '));
for (const { group, runs: count, success_rate } of await runs.stats('label:team')) console.log(group, count, success_rate);
await runs.close();
// → success 5
// → created /workspace/notes.txt
// → modified /workspace/notes.txt
// → command_execution file_change command_execution file_change command_execution
// → docs 1 1
