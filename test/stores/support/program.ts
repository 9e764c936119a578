// A process that writes runs into a ledger, for tests that need several of them or that end one by force.
// node program.ts bulk PLACE COUNT | node program.ts stream PLACE FOLDER | node program.ts once PLACE FOLDER BYTES ANSWER
import { randomBytes } from 'node:crypto';
import { rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openLedgerAt } from '../../../src/ledger/ledger.ts';
import { bringUpToDate } from '../../../src/ledger/up-to-date.ts';
import type { RunWriter } from '../../../src/run/sinks/ledger.ts';
import { ledgerPlace, openStore } from '../../../src/stores/open-store.ts';
import { openOutbox } from '../../../src/stores/outbox.ts';
import type { RunStore } from '../../../src/stores/run-store.ts';
import { newRun, outcomeWith } from './runs.ts';
import { perform } from './perform.ts';
import { ledgerSink } from './sink.ts';

const [mode = '', place = '', ...rest] = process.argv.slice(2);
const say = (line: string): void => void writeSync(1, `${line}\n`);

async function open(): Promise<RunStore> {
  const found = ledgerPlace(place, {}, '/');
  if (found.kind === 'none') throw new Error('no ledger');
  return openStore(found);
}

/** Many runs, one after the other. */
async function bulk(count: number): Promise<void> {
  const store = await open();
  for (let index = 0; index < count; index += 1) {
    const run = newRun({
      started_at: Date.now(),
      prompt: `job ${process.pid} ${index}`,
      labels: { writer: String(process.pid) },
    });
    await store.begin(run);
    await store.note(run.id, { at: Date.now(), last_sequence: 1 });
    await store.finish(run.id, {
      outcome: outcomeWith({ message: `answer ${index}`, metadata: { initial_prompt: run.prompt } }),
      ended_at: Date.now(),
      last_sequence: 2,
    });
    say(run.id);
  }
  await store.close();
}

async function recorded(folder: string, id: string): Promise<Recorded | undefined> {
  const found = ledgerPlace(place, {}, '/');
  if (found.kind === 'none') throw new Error('no ledger');
  rmSync(join(folder, 'tapes'), { recursive: true, force: true });
  const ledger = await openLedgerAt(found, {});
  await bringUpToDate(ledger, openOutbox(found, {}), Date.now());
  const run = await ledger.store.get(id);
  const added =
    run?.outcome?.verdict.evidence.flatMap(({ signal, detail }) => (signal === 'ledger' ? [detail] : [])) ?? [];
  return run?.outcome === undefined ? undefined : { status: run.status, answer: run.outcome.message, added };
}

export interface Recorded {
  status: string;
  answer: string;
  /** What the ledger itself says of it. */
  added: string[];
}

/** Tells what the ledger has acknowledged, until it is killed. */
async function stream(folder: string): Promise<never> {
  for (;;) {
    const store = await open();
    const told: RunWriter = {
      async begin(run) {
        await store.begin(run);
        say(`${run.id} 0`);
      },
      async note(id, progress) {
        await store.note(id, progress);
        say(`${id} ${progress.last_sequence ?? 0}`);
      },
      finish: (id, ending) => store.finish(id, ending),
      close: () => store.close(),
    };
    const sink = ledgerSink({
      folder,
      open: async () => told,
      warn: (line) => say(`warning ${line}`),
      patienceMs: 10_000,
    });
    await perform(sink, { steps: 30, between: () => sleep(1) });
    say(`${sink.id} end`);
  }
}

/** One run that writes this much onto its tape, and an answer of some length; tells its warnings, that it ended, and how it is recorded once there is room. */
async function once(folder: string, bytes: number, answer: number): Promise<void> {
  const warnings: string[] = [];
  const sink = ledgerSink({ folder, open, warn: (line) => warnings.push(line), patienceMs: 10_000 });
  const steps = 50;
  const text = (step: number): string =>
    step === steps ? 'Done.'.padEnd(answer, '!') : randomBytes(bytes / steps / 2).toString('hex');
  const outcome = await perform(sink, { steps, text, between: () => sleep(2) });
  say(
    JSON.stringify({
      status: outcome.status,
      recorded: (await recorded(folder, sink.id).catch(() => undefined)) ?? 'nowhere',
      warnings,
    }),
  );
}

if (mode === 'bulk') await bulk(Number(rest[0]));
else if (mode === 'stream') await stream(rest[0] ?? '');
else await once(rest[0] ?? '', Number(rest[1]), Number(rest[2]));
