// One measure in a process of its own: what reading or writing one stream costs, and how much memory it takes at most.
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { findDialect } from '../../src/dialects/registry.ts';
import { OutcomeFold } from '../../src/outcome/fold.ts';
import { reportOf } from '../../src/outcome/report.ts';
import { Reader } from '../../src/pipeline/reader.ts';
import { Thread } from '../../src/pipeline/thread.ts';
import { Writer } from '../../src/pipeline/writer.ts';
import { Redactor } from '../../src/redact/redactor.ts';
import { writerOf } from './lookalikes.ts';
import { eventsOf, type Shape, shapes } from './shapes.ts';

export interface Measured {
  /** The best of a few rounds, in ms of this process's CPU time. */
  cpu: number;
  /** The most memory that the process ever held, in bytes. */
  memory: number;
  /** Bytes of the longest line that was read or written, as far as it is longer than a chunk. */
  line: number;
}

const chunkBytes = 64 * 1024;
const LF = 10;
/** After the first, in which the code is still cold. */
const rounds = 3;
/** What takes longer is measured once, or not again after the first round. */
const longMs = 400;
const coldMs = 2000;

/** Writes the stream as an agent that never repairs anything would. */
function prepare(name: string, shape: Shape, parts: number, path: string): void {
  const [dialect, variant] = writerOf(name);
  const writer = new Writer(dialect, variant);
  const fold = new OutcomeFold();
  const file = openSync(path, 'w');
  let written = 0;
  const flush = (): void => void (written += writeSync(file, writer.take()));
  const envelope = {
    timestamp: '2026-11-15T10:00:00.000Z',
    thread_id: 'T-0001',
    source: 'agent',
    synthetic: false,
  } as const;
  let sequence = 0;
  for (const event of eventsOf(shape, parts)) {
    fold.apply(event);
    writer.record({ ...event, ...envelope, sequence: ++sequence });
    if (writer.size > chunkBytes) flush();
  }
  flush();
  // What was cut has no last lines, unless they are all there is.
  if (shape.isCut !== true || written === 0) {
    const came = fold.outcome(dialect.id, []);
    const { status, message: summary, verdict } = came;
    const last = { type: 'thread.completed', status, summary, verdict, final_report: reportOf(came) } as const;
    writer.record({ ...last, ...envelope, sequence: ++sequence });
    writer.end(came);
    flush();
  }
  closeSync(file);
}

let longest = 0;

/** Called often while the work goes on. */
type Pause = () => void;

function read(name: string, path: string, pause: Pause): void {
  const reader = new Reader({
    dialect: findDialect(name.split(':')[0] ?? ''),
    redact: new Redactor(),
    onRecord: () => {},
  });
  const file = openSync(path, 'r');
  const buffer = Buffer.allocUnsafe(chunkBytes);
  let since = 0;
  for (let size = readSync(file, buffer); size > 0; size = readSync(file, buffer)) {
    const bytes = buffer.subarray(0, size);
    since = bytes.includes(LF) ? 0 : since + size;
    longest = Math.max(longest, since);
    reader.stdout(bytes);
    pause();
  }
  closeSync(file);
  reader.end();
}

function write(name: string, shape: Shape, parts: number, pause: Pause): void {
  const writer = new Writer(...writerOf(name));
  const thread = new Thread({ redact: new Redactor(), onRecord: (record) => writer.record(record) });
  for (const event of eventsOf(shape, parts)) {
    thread.emit(event);
    if (writer.size > chunkBytes) longest = Math.max(longest, writer.take().length);
    pause();
  }
  writer.end(thread.end('runwire'));
  longest = Math.max(longest, writer.take().length);
}

function outcome(shape: Shape, parts: number, pause: Pause): void {
  const thread = new Thread({ redact: new Redactor() });
  for (const event of eventsOf(shape, parts)) {
    thread.emit(event);
    pause();
  }
  thread.end('runwire');
}

/** CPU time of this process so far, all threads, in ms. */
function spent(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Garbage is no memory that anybody holds: in the first round it is collected on the way, so that the peak is what was needed. */
function measure(work: (pause: Pause) => void): Measured {
  let collecting = 0;
  let pauses = 0;
  let next = 1;
  const collect = (): void => {
    pauses += 1;
    if (pauses < next) return;
    next = Math.max(pauses + 1, Math.ceil(pauses * 1.2));
    const start = spent();
    globalThis.gc?.();
    collecting += spent() - start;
  };
  const start = spent();
  work(collect);
  const cold = spent() - start - collecting;
  const memory = process.resourceUsage().maxRSS * 1024;
  let cpu = cold;
  for (let round = 0, sum = 0; round < rounds && sum < longMs && cold < coldMs; round += 1) {
    const from = spent();
    work(() => {});
    const ms = spent() - from;
    cpu = Math.min(cpu, ms);
    sum += ms;
  }
  return { cpu, memory, line: longest };
}

const [mode, name = '', shapeName, partsText, path = ''] = process.argv.slice(2);
const shape = shapes.find((each) => each.name === shapeName);
if (shape === undefined) throw new Error(`no shape ${shapeName}`);
const parts = Number(partsText);
if (mode === 'prepare') prepare(name, shape, parts, path);
else {
  const work: Record<string, (pause: Pause) => void> = {
    read: (pause) => read(name, path, pause),
    write: (pause) => write(name, shape, parts, pause),
    outcome: (pause) => outcome(shape, parts, pause),
  };
  const wanted = work[mode ?? ''];
  if (wanted === undefined) throw new Error(`no measure ${mode}`);
  process.stdout.write(JSON.stringify(measure(wanted)));
}
