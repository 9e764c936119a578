// Runs that go on, on a machine of their own, in a ledger that others see: each event tells when it was made.
import { Thread } from '../src/pipeline/thread.ts';
import { LedgerSink } from '../src/run/sinks/ledger.ts';
import { newRunId } from '../src/ids/run-id.ts';

const [url = '', runs = '', rate = '', seconds = ''] = process.argv.slice(2);
const tickMs = 5;
const startedAt = Date.now();

const lives = Array.from({ length: Number(runs) }, () => {
  const id = newRunId(startedAt);
  const sink = new LedgerSink({
    place: { kind: 'postgres', url },
    keepsTape: true,
    id,
    startedAt,
    labels: {},
    agent: 'bench',
    cwd: '/',
    git: {},
    env: process.env,
    clock: Date.now,
    warn: (message) => console.error(message),
    patienceMs: 60_000,
  });
  const thread = new Thread({ clock: Date.now, newId: () => id, onRecord: (record) => sink.record(record) });
  thread.emit({ type: 'thread.started', task: 'bench', agent: 'bench' });
  return { id, sink, thread };
});
await new Promise((resolve) => void setTimeout(resolve, 2000));
process.stdout.write(`${JSON.stringify(lives.map(({ id }) => id))}\n`);
// Who watches says when it does.
await new Promise((resolve) => void process.stdin.once('data', resolve));

const begun = performance.now();
let made = 0;
while (performance.now() - begun < Number(seconds) * 1000) {
  const due = Math.floor(((performance.now() - begun) / 1000) * Number(rate));
  for (; made < due; made += 1)
    lives[made % lives.length]?.thread.emit({
      type: 'log',
      stream: 'agent',
      level: 'info',
      text: `made at ${Date.now()} ${'x'.repeat(150)}`,
    });
  await new Promise((resolve) => void setTimeout(resolve, tickMs));
}
for (const { sink, thread } of lives) {
  thread.emit({ type: 'agent.finished', status: 'ok' });
  sink.end(thread.end('runwire'));
}
await Promise.all(lives.map(({ sink }) => sink.close()));
process.stdout.write(`${made}\n`);
// Its time is asked for.
process.stdin.resume();
