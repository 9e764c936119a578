// A process that writes a run into a ledger: `begin`, then a text for every line of stdin, `end` or a kill.
import { createInterface } from 'node:readline';
import { dirname } from 'node:path';
import { Thread } from '../../../src/pipeline/thread.ts';
import { ledgerSink } from '../../stores/support/sink.ts';

const [ledger = ''] = process.argv.slice(2);
const sink = ledgerSink({
  folder: dirname(ledger),
  place: { kind: 'sqlite', path: ledger },
  warn: (message) => void process.stderr.write(`${message}\n`),
  progressMs: 10,
  patienceMs: 30_000,
});
const thread = new Thread({ clock: Date.now, newId: () => sink.id, onRecord: (record) => sink.record(record) });

let count = 0;
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'begin') {
    thread.emit({ type: 'thread.started', task: 'Count', agent: 'counter', model: 'm' });
    thread.emit({ type: 'turn.started' });
  } else if (line === 'end') {
    thread.emit({ type: 'agent.finished', status: 'ok' });
    sink.end(thread.end('runwire'));
    await sink.close();
    process.exit(0);
  } else {
    count += 1;
    thread.emit({ type: 'text.completed', text: line, block_id: `b${count}`, message_id: `m${count}` });
  }
  process.stdout.write(`${line}\n`);
}
