// Runs elsewhere: each event is reported to a server, which may be away for a while. Prints how many events each run has.
import { Thread } from '../src/pipeline/thread.ts';
import { ReportSink } from '../src/run/sinks/report/report.ts';
import { newRunId } from '../src/ids/run-id.ts';

const [url = '', runs = '', rate = '', seconds = ''] = process.argv.slice(2);
const tickMs = 20;
const startedAt = Date.now();

const lives = Array.from({ length: Number(runs) }, () => {
  const id = newRunId(startedAt);
  const sink = new ReportSink({
    target: { url, token: process.env['RUNWIRE_REPORT_TOKEN'] },
    clean: (value) => value,
    id,
    startedAt,
    labels: {},
    agent: 'bench',
    cwd: '/',
    git: { repo: 'bench', branch: 'main' },
    env: process.env,
    clock: Date.now,
    warn: (message) => console.error(message),
    patienceMs: 120_000,
  });
  let last = 0;
  const thread = new Thread({
    clock: Date.now,
    newId: () => id,
    onRecord(record) {
      last = record.sequence;
      sink.record(record);
    },
  });
  thread.emit({ type: 'thread.started', task: 'bench', agent: 'bench' });
  return { id, sink, thread, last: () => last };
});
process.stdout.write(`${JSON.stringify(lives.map(({ id }) => id))}\n`);

const begun = performance.now();
let made = 0;
while (performance.now() - begun < Number(seconds) * 1000) {
  const due = Math.floor(((performance.now() - begun) / 1000) * Number(rate));
  for (; made < due; made += 1)
    lives[made % lives.length]?.thread.emit({ type: 'log', stream: 'agent', level: 'info', text: 'x'.repeat(200) });
  await new Promise((resolve) => void setTimeout(resolve, tickMs));
}
for (const { sink, thread } of lives) {
  thread.emit({ type: 'agent.finished', status: 'ok' });
  sink.end(thread.end('runwire'));
}
await Promise.all(lives.map(({ sink }) => sink.close()));
process.stdout.write(`${JSON.stringify(lives.map(({ last }) => last()))}\n`);
process.exit(0);
