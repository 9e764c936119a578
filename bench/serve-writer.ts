// Runs that go on: each event tells when it was made. What is written into the ledger goes to a bare relay as well.
import { dirname } from 'node:path';
import { Thread } from '../src/pipeline/thread.ts';
import { LedgerSink } from '../src/run/sinks/ledger.ts';
import { newRunId } from '../src/ids/run-id.ts';

const [path = '', relay = '', runs = '', rate = '', seconds = ''] = process.argv.slice(2);
const tickMs = 20;
const startedAt = Date.now();

const lives = Array.from({ length: Number(runs) }, () => {
  const id = newRunId(startedAt);
  const sink = new LedgerSink({
    place: { kind: 'sqlite', path },
    keepsTape: true,
    id,
    startedAt,
    labels: {},
    agent: 'bench',
    cwd: dirname(path),
    git: { repo: 'bench', branch: 'main' },
    env: process.env,
    clock: Date.now,
    warn: (message) => console.error(message),
    patienceMs: 60_000,
  });
  const thread = new Thread({ clock: Date.now, newId: () => id, onRecord: (record) => sink.record(record) });
  thread.emit({ type: 'thread.started', task: 'bench', agent: 'bench' });
  return { id, sink, thread };
});
process.stdout.write(`${JSON.stringify(lives.map(({ id }) => id))}\n`);
// Who watches says when it does.
await new Promise((resolve) => void process.stdin.once('data', resolve));

const begun = performance.now();
let made = 0;
while (performance.now() - begun < Number(seconds) * 1000) {
  const due = Math.floor(((performance.now() - begun) / 1000) * Number(rate));
  const lines: string[] = [];
  for (; made < due; made += 1) {
    const live = lives[made % lives.length];
    const text = `${Date.now()} ${'x'.repeat(200)}`;
    live?.thread.emit({ type: 'log', stream: 'agent', level: 'info', text });
    lines.push(`${made % lives.length} ${text}`);
  }
  if (lines.length > 0) void fetch(relay, { method: 'POST', body: lines.join('\n') }).catch(() => {});
  await new Promise((resolve) => void setTimeout(resolve, tickMs));
}
process.stdout.write(`${made}\n`);
for (const { sink, thread } of lives) {
  thread.emit({ type: 'agent.finished', status: 'ok' });
  sink.end(thread.end('runwire'));
}
await Promise.all(lives.map(({ sink }) => sink.close()));
process.exit(0);
