import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EventRecord } from '../../src/events/event.ts';
import { closeInterrupted } from '../../src/ledger/close-interrupted.ts';
import { openPostgres } from '../../src/stores/postgres.ts';
import type { RunStore } from '../../src/stores/run-store.ts';
import { openSqlite } from '../../src/stores/sqlite.ts';
import type { Tape } from '../../src/tapes/tape.ts';
import { FileTapes } from '../../src/tapes/file-tapes.ts';
import { compiled } from '../support/compiled.ts';
import { isSweep } from '../support/sweep.ts';
import type { PostgresDatabase } from './support/postgres.ts';
import { sharedPostgres } from './support/shared-postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'runwire-writers-'));
const program = join(import.meta.dirname, 'support', 'program.ts');
let server: PostgresDatabase;
beforeAll(async () => {
  server = await sharedPostgres();
});
afterAll(async () => {
  await server.remove();
  rmSync(folder, { recursive: true, force: true });
});

const openers = { sqlite: openSqlite, postgres: openPostgres };
/** The addresses of ledgers that are not there yet. */
const newPlaces = {
  sqlite: () => join(mkdtempSync(join(folder, 'ledger-')), 'ledger.db'),
  postgres: () => server.url(server.newName('ledger')),
};

function start(
  args: readonly string[],
  onLine: (line: string) => void,
): { child: ChildProcess; ended: Promise<number | null> } {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...process.env, ...compiled },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const read = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', onLine).on('close', resolve);
  });
  const exited = new Promise<number | null>((resolve) => void child.once('exit', resolve));
  return { child, ended: read.then(() => exited) };
}

async function withStore(
  kind: keyof typeof openers,
  place: string,
  work: (store: RunStore) => Promise<void>,
): Promise<void> {
  const store = await openers[kind](place);
  try {
    await work(store);
    expect(await store.verify()).toEqual([]);
  } finally {
    await store.close();
  }
}

const processes = isSweep ? 8 : 3;
/** Of each process. */
const runs = isSweep ? 50 : 6;

describe.each(['sqlite', 'postgres'] as const)('%s', (kind) => {
  it(`takes ${runs} runs of each of ${processes} processes at once, and makes the tables once`, async () => {
    const place = newPlaces[kind]();
    const told: string[] = [];
    const writers = Array.from({ length: processes }, () =>
      start(['bulk', place, String(runs)], (line) => told.push(line)),
    );
    expect(await Promise.all(writers.map(({ ended }) => ended))).toEqual(Array.from({ length: processes }, () => 0));
    await withStore(kind, place, async (store) => {
      const found: string[] = [];
      for await (const run of store.export({ status: ['success'] })) found.push(run.id);
      expect(found.toSorted()).toEqual(told.toSorted());
      expect(new Set(found).size).toBe(processes * runs);
      expect(await store.count({ text: 'job answer' })).toBe(processes * runs);
      expect((await store.stats({ label: 'writer' }, {})).map((writer) => writer.runs)).toEqual(
        Array.from({ length: processes }, () => runs),
      );
    });
  });

  it('is opened by ten at once when it is not there yet', async () => {
    for (let round = 0; round < 3; round += 1) {
      const place = newPlaces[kind]();
      const stores = await Promise.all(Array.from({ length: 10 }, () => openers[kind](place)));
      expect(await Promise.all(stores.map((store) => store.count({})))).toEqual(Array.from({ length: 10 }, () => 0));
      for (const store of stores) await store.close();
    }
  });

  it('has every run of writers that were killed, with the last event it acknowledged', async () => {
    const place = newPlaces[kind]();
    const home = mkdtempSync(join(folder, 'home-'));
    const tapes = new FileTapes(join(home, 'tapes'));
    await withStore(kind, place, async () => {});
    const acknowledged = new Map<string, number | 'end'>();
    const warnings: string[] = [];
    const kills = !isSweep ? 2 : kind === 'sqlite' ? 20 : 8;
    async function killOne(): Promise<void> {
      const begun = Promise.withResolvers<void>();
      const { child, ended } = start(['stream', place, home], (line) => {
        const [id = '', sequence = ''] = line.split(' ');
        if (id === 'warning') return void warnings.push(line);
        acknowledged.set(
          id,
          sequence === 'end' ? 'end' : Math.max(Number(sequence), Number(acknowledged.get(id) ?? 0)),
        );
        begun.resolve();
      });
      await Promise.race([begun.promise, ended]);
      await sleep(Math.random() * 120);
      child.kill('SIGKILL');
      await ended;
    }
    for (let at = 0; at < kills; at += 4) await Promise.all(Array.from({ length: Math.min(4, kills - at) }, killOne));
    expect(warnings).toEqual([]);
    await withStore(kind, place, async (store) => {
      const open = (await store.open()).map(({ id }) => id);
      const closings = await Promise.all([1, 2].map(() => closeInterrupted(store, tapes, Date.now())));
      expect(closings.flat().toSorted()).toEqual(open);
      expect(await store.open()).toEqual([]);
      expect(open.length).toBeGreaterThan(0);
      for (const [id, last] of acknowledged) {
        const run = await store.get(id);
        expect(run).toBeDefined();
        expect(run?.prompt).toBe('Count the steps');
        if (last === 'end') expect(run).toMatchObject({ status: 'success', outcome: { message: 'step 30' } });
        else expect(run?.last_sequence).toBeGreaterThanOrEqual(last);
        if (open.includes(id)) {
          const lines = (await textOf(tapes.at(run?.tape ?? ''))).split('\n').slice(0, -1);
          const records = lines.map((line) => JSON.parse(line) as EventRecord);
          const count = `${records.length} record${records.length === 1 ? '' : 's'}`;
          const known =
            records.length === 0
              ? 'it had told nothing yet'
              : `its tape has ${count}, the last at ${records.at(-1)?.timestamp}`;
          expect(run?.outcome?.verdict.evidence.at(-1)).toEqual({
            signal: 'ledger',
            detail: `the process that ran it is gone; ${known}`,
          });
          const types = records.map(({ type }) => type);
          expect(run?.status).toBe(types.includes('agent.finished') ? 'success' : 'incomplete');
        }
      }
    });
  });
});

async function textOf(tape: Tape | undefined): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const lines of tape?.read() ?? []) chunks.push(lines);
  return Buffer.concat(chunks).toString();
}
