import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import type { LedgerSinkOptions } from '../../src/run/sinks/ledger.ts';
import { openPostgres } from '../../src/stores/postgres.ts';
import { openSqlite } from '../../src/stores/sqlite.ts';
import { perform } from './support/perform.ts';
import { startPostgres } from './support/postgres.ts';
import type { RunWriter } from '../../src/run/sinks/ledger.ts';
import type { Recorded } from './support/program.ts';
import { ledgerSink } from './support/sink.ts';

const folder = mkdtempSync(join(tmpdir(), 'runwire-bad-'));
const program = join(import.meta.dirname, 'support', 'program.ts');
afterAll(() => rmSync(folder, { recursive: true, force: true }));
/** A file in a folder that has no other. */
const alone = (name: string): string => join(mkdtempSync(join(folder, 'alone-')), name);

interface Told {
  status: string;
  /** How the ledger knows it once there is room. */
  recorded?: Recorded | 'nowhere';
  warnings: string[];
}

/** A run whose ledger is on a file system of its own, which nobody else sees and which goes with the process. */
function runOnDisk(options: string, bytes: number, answer = 0): Told {
  const disk = mkdtempSync(join(folder, 'disk-'));
  const script = 'mount -t tmpfs -o "$1" tmpfs "$2" && exec "$3" "$4" once "$2/ledger.db" "$2" "$5" "$6"';
  const namespace = process.getuid?.() === 0 ? '-m' : '-rm';
  const args = [
    namespace,
    'sh',
    '-c',
    script,
    'sh',
    options,
    disk,
    process.execPath,
    program,
    String(bytes),
    String(answer),
  ];
  return JSON.parse(execFileSync('unshare', args, { encoding: 'utf8' })) as Told;
}

/** A run in this process; answers what was warned. */
async function run(
  options: Partial<LedgerSinkOptions>,
  patienceMs: number,
  between: (step: number) => Promise<void> = () => sleep(1),
): Promise<Told> {
  const warnings: string[] = [];
  const sink = ledgerSink({ folder, keepsTape: false, warn: (line) => warnings.push(line), patienceMs, ...options });
  const { status } = await perform(sink, { steps: 20, between });
  return { status, warnings };
}

it('goes on when the disk becomes full', () => {
  expect(runOnDisk('size=1m', 4_000_000)).toEqual({
    status: 'success',
    recorded: { status: 'success', answer: 'Done.', added: [] },
    warnings: [
      expect.stringMatching(/^the tape .* stops here: .*no space left/i),
      expect.stringMatching(/^this run is not in the ledger yet: .*(full|no space left)/i),
    ],
  });
});

it('records how a run ended on a full disk, however much it said', () => {
  const { status, recorded } = runOnDisk('size=1m', 4_000_000, 200_000);
  expect({ status, recorded }).toEqual({
    status: 'success',
    recorded: {
      status: 'success',
      answer: expect.stringMatching(/^Done\.!+\n\[… \d+ characters …\]\n!+$/) as string,
      added: ['the disk was full when it ended: long texts and lists are shortened'],
    },
  });
});

it('goes on when there was never room for a ledger', () => {
  expect(runOnDisk('size=32k', 10_000)).toEqual({
    status: 'success',
    recorded: 'nowhere',
    warnings: [
      expect.stringMatching(/^the tape .* stops here: .*no space left/i),
      expect.stringMatching(/^this run is not in the ledger yet: .*(full|I\/O|no space left)/i),
    ],
  });
});

it('goes on when the folder is read-only', () => {
  expect(runOnDisk('ro', 10_000)).toEqual({
    status: 'success',
    recorded: 'nowhere',
    warnings: [expect.stringMatching(/^this run may be missing from the ledger: .*(read-only|unable to open)/i)],
  });
});

it('records the run where there is room', () => {
  expect(runOnDisk('size=16m', 10_000)).toEqual({
    status: 'success',
    recorded: { status: 'success', answer: 'Done.', added: [] },
    warnings: [],
  });
});

it.each([
  ['is no database', () => Buffer.from('this is a letter, not a ledger. '.repeat(500))],
  ['is damaged', (whole: Buffer) => Buffer.concat([whole.subarray(0, 200), Buffer.alloc(whole.length - 200, 0x5a)])],
  ['is cut', (whole: Buffer) => whole.subarray(0, 5000)],
])('goes on when the ledger %s, and leaves the file as it is', async (name, damage) => {
  const path = alone(`${name}.db`);
  await (await openSqlite(path)).close();
  const damaged = damage(readFileSync(path));
  writeFileSync(path, damaged);
  expect(await run({ open: () => openSqlite(path) }, 20_000)).toEqual({
    status: 'success',
    warnings: [expect.stringMatching(/^this run is not in the ledger yet: .*(not a database|malformed)/)],
  });
  expect(readFileSync(path).equals(damaged)).toBe(true);
});

it('does not fill the database of another program', async () => {
  const path = alone('other.db');
  const other = new DatabaseSync(path);
  other.exec('create table customers (name text)');
  other.close();
  await expect(openSqlite(path)).rejects.toThrow(/other\.db is a database, but not a Runwire ledger/);
});

it('goes on, and ends in time, when somebody else keeps the ledger locked', async () => {
  const path = alone('locked.db');
  await (await openSqlite(path)).close();
  const other = new DatabaseSync(path);
  other.exec('begin exclusive');
  expect(await run({ open: () => openSqlite(path, { patienceMs: 300 }) }, 20_000)).toEqual({
    status: 'success',
    warnings: ['this run is not in the ledger yet: database is locked; the next command here that uses it tries again'],
  });
  expect(await run({ open: () => openSqlite(path) }, 200)).toEqual({
    status: 'success',
    warnings: [
      'this run is not in the ledger yet: it did not answer within 200 ms; the next command here that uses it tries again',
    ],
  });
  other.exec('rollback');
  other.close();
  expect(await run({ open: () => openSqlite(path) }, 20_000)).toEqual({ status: 'success', warnings: [] });
});

it('waits for a lock that is let go', async () => {
  const path = alone('busy.db');
  await (await openSqlite(path)).close();
  const other = new DatabaseSync(path);
  other.exec('begin exclusive');
  const told = await run({ open: () => openSqlite(path) }, 30_000, async (step) => {
    await sleep(5);
    if (step === 10) other.exec('rollback');
  });
  other.close();
  expect(told).toEqual({ status: 'success', warnings: [] });
});

it('records a run completely when PostgreSQL was away in the middle of it', async () => {
  const server = await startPostgres();
  try {
    const url = server.url('team');
    const warnings: string[] = [];
    const warn = (line: string): void => void warnings.push(line);
    let isNoticed = false;
    const noticing = <Result>(work: Promise<Result>): Promise<Result> =>
      work.catch((error: unknown) => {
        isNoticed = true;
        throw error;
      });
    async function open(): Promise<RunWriter> {
      const store = await noticing(openPostgres(url));
      return {
        begin: (each) => noticing(store.begin(each)),
        note: (...news) => noticing(store.note(...news)),
        finish: (...end) => noticing(store.finish(...end)),
        close: () => store.close(),
      };
    }
    const sink = ledgerSink({ folder, keepsTape: false, open, warn, patienceMs: 30_000 });
    await perform(sink, {
      steps: 30,
      async between(step) {
        await sleep(20);
        if (step === 10) await server.stop();
        // Away until the sink has noticed.
        if (step === 20) for (; !isNoticed;) await sleep(20);
        if (step === 20) await server.start();
      },
    });
    // It is there in the end, so nothing is said.
    expect(warnings).toEqual([]);
    const store = await openPostgres(url);
    expect(await store.get(sink.id)).toMatchObject({
      status: 'success',
      prompt: 'Count the steps',
      outcome: { message: 'step 30' },
    });
    await store.close();
    await server.stop();
    expect(await run({ open: () => openPostgres(url) }, 20_000)).toEqual({
      status: 'success',
      warnings: [
        expect.stringMatching(/^this run is not in the ledger yet: cannot use the ledger postgres:.*ECONNREFUSED/),
      ],
    });
  } finally {
    await server.remove();
  }
});
