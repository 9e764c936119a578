// A live process: stamp what the agent does not, judge it by its exit code too.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Reader } from 'runwire';

const child = spawn('cat', ['examples/false-success.jsonl'], { stdio: ['ignore', 'pipe', 'inherit'] });
const reader = new Reader({
  clock: Date.now,
  onRecord(record) {
    if (record.type === 'retry.scheduled') console.log('retry', record.attempt, record.cause);
  },
});
for await (const chunk of child.stdout) reader.stdout(chunk as Uint8Array);
const [code, signal] = child.exitCode === null ? await once(child, 'close') : [child.exitCode, child.signalCode];
const outcome = reader.end({ exit_code: code as number | null, signal: signal as string | null });
console.log(outcome.verdict.class);
// → retry 1 500 The server had an error while processing your request.
// → retry 2 500 The server had an error while processing your request.
// → retry 3 500 The server had an error while processing your request.
// → provider
