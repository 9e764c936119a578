import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { exportRuns } from '../../src/ledger/export.ts';
import { importRuns } from '../../src/ledger/import.ts';
import { absorbImports } from '../../src/ledger/one-run.ts';
import { pruneRuns } from '../../src/ledger/prune.ts';
import { tidy } from '../../src/ledger/tidy.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import type { Database } from '../../src/stores/database.ts';
import { FileTapes } from '../../src/tapes/file-tapes.ts';
import { figureTables } from '../../src/stores/figures.ts';
import { select } from '../../src/stores/filter-sql.ts';
import { openPostgres } from '../../src/stores/postgres.ts';
import type { RunStore } from '../../src/stores/run-store.ts';
import { outcomeText } from '../../src/stores/seal.ts';
import { openSqlite } from '../../src/stores/sqlite.ts';
import { perform } from '../stores/support/perform.ts';
import type { PostgresDatabase } from '../stores/support/postgres.ts';
import { sharedPostgres } from '../stores/support/shared-postgres.ts';
import { newRun, noon, outcomeWith } from '../stores/support/runs.ts';
import { ledgerSink } from '../stores/support/sink.ts';

const root = mkdtempSync(join(tmpdir(), 'runwire-keeping-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(root, 'case-'))));
const refuse = (message: string): never => {
  throw new Error(message);
};
const path = (): string => join(folder, 'ledger.db');
const tapes = (): FileTapes => new FileTapes(join(folder, 'tapes'));

async function recorded(): Promise<{ id: string; tape: string }> {
  const sink = ledgerSink({ folder, warn: refuse });
  await perform(sink, { steps: 20, text: (step) => `step ${step} `.repeat(20), between: async () => {} });
  return { id: sink.id, tape: sink.tape?.name ?? '' };
}

async function findings(store: RunStore): Promise<string[]> {
  const found: string[] = [];
  for await (const { level, what } of verifyLedger({ store, tapes: tapes() })) found.push(`${level}: ${what}`);
  return found;
}

it('notices every bit of a tape that is flipped', async () => {
  const { tape } = await recorded();
  const whole = readFileSync(tape);
  const store = await openSqlite(path());
  expect(await findings(store)).toEqual([]);
  for (let at = 0; at < 60; at += 1) {
    const bit = Math.floor((at * whole.length * 8) / 60);
    const damaged = Buffer.from(whole);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    writeFileSync(tape, damaged);
    expect(await findings(store)).toEqual([expect.stringMatching(/^problem: its tape is damaged/)]);
  }
  await store.close();
});

it.each([
  ['is cut', `update documents set outcome = substr(outcome, 1, 40)`],
  ['is of another end', `update runs set class = 'tool'`],
  ['lacks a part', `update documents set outcome = '{"status":"success"}'`],
  ['has attempts that cannot be read', `update documents set attempts = '[{'`],
])('notices an outcome that %s, and looks at the other runs', async (_name, sql) => {
  await recorded();
  const database = new DatabaseSync(path());
  database.exec(sql);
  database.close();
  const store = await openSqlite(path());
  await store.begin(newRun());
  expect(await findings(store)).toEqual([expect.stringMatching(/^problem: its (?:outcome is damaged|attempts)/)]);
  await store.close();
});

const change = (text: string): string =>
  `(select replace(outcome, '${text.split(' → ')[0]}', '${text.split(' → ')[1]}'))`;

/** What is changed in a row with any SQL tool; for that the outcome is plain text here, which is the same outcome. */
it.each([
  ['its cost', 'update runs set cost = 0.01', /its row was changed after its end: cost is not/],
  ['its cost, taken away', 'update runs set cost = null', /its row was changed after its end: cost is not/],
  ['its tokens', 'update runs set input_tokens = 7', /its row was changed after its end: input_tokens is not/],
  ['its exit code', 'update runs set exit_code = 0', /its row was changed after its end: exit_code is not/],
  ['its duration', 'update runs set duration_ms = 1', /its row was changed after its end: duration_ms is not/],
  ['its beginning', 'update runs set started_at = started_at + 1', /it was changed after its end/],
  ['its end', 'update runs set ended_at = ended_at - 1', /it was changed after its end/],
  ['its cached tokens', 'update runs set cache_read_tokens = 5', /it was changed after its end/],
  ['its answer', `update documents set outcome = ${change('fixed → broken')}`, /it was changed after its end/],
  ['its answer by a letter', `update documents set outcome = ${change('is → as')}`, /it was changed after its end/],
  [
    'its evidence',
    `update documents set outcome = ${change('all is well → all is bad')}`,
    /it was changed after its end/,
  ],
  ['its prompt', "update documents set prompt = 'Another'", /it was changed after its end/],
  [
    'its attempts',
    `update documents set attempts = '[{"number":1,"status":"success","class":"success","cost":9}]'`,
    /it was changed/,
  ],
  ['the hash of its tape', "update documents set tape_sha256 = 'a'", /it was changed after its end/],
  [
    'cost in both places',
    `update runs set cost = 9.5; update documents set outcome = ${change('0.25 → 9.5')}`,
    /it was changed after/,
  ],
])('notices that somebody changed %s', async (_name, sql, said) => {
  const store = await openSqlite(path());
  const run = { started_at: noon, labels: {}, ended_at: noon + 5 };
  const outcome = outcomeWith({
    verdict: { class: 'tool', exit_code: 3 },
    artifacts: [],
    tool_calls: [],
    warnings: [],
  } as never);
  await store.put({ ...run, id: 'one', key: '1', outcome: { ...outcome, status: 'error' } });
  const database = new DatabaseSync(path());
  const { outcome: written } = database.prepare('select outcome from documents').get() ?? {};
  database.prepare('update documents set outcome = ?').run(outcomeText(written));
  expect(await findings(store)).toEqual([]);
  await store.addLabels('one', { team: 'x' });
  expect(await findings(store)).toEqual([]);
  database.exec(sql);
  database.close();
  expect(await findings(store)).toEqual([expect.stringMatching(said)]);
  await store.close();
});

/** What may change after the end of a run, or is about the ledger and not about the run. */
const unsealed: Readonly<Record<string, string>> = {
  runs: 'seq key last_sequence heartbeat_at parent_run_id root_run_id heard_at presumed_at host username repo cwd reporter waits_until',
  documents: 'seq session_id cwd tape host owner words',
};
let server: PostgresDatabase | undefined;
afterAll(() => server?.remove());
type Query = (sql: string, ...values: (string | number | Uint8Array | null)[]) => Promise<Record<string, unknown>[]>;

/** The same ledger as the store, as any SQL tool opens it. */
const ledgers = {
  async SQLite() {
    const store = await openSqlite(path());
    const database = new DatabaseSync(path());
    const query: Query = async (sql, ...values) => database.prepare(sql).all(...values);
    const columns =
      'select m.name as "table", c.name as "column", c.type from sqlite_master m join pragma_table_info(m.name) c';
    return { store, query, columns, close: async () => database.close() };
  },
  async PostgreSQL() {
    const schema = (server ??= await sharedPostgres()).newName('changed');
    const store = await openPostgres(server.url(schema));
    const client = new pg.Client({ connectionString: server.url(schema).replace(/\?.*/, '') });
    await client.connect();
    await client.query(`set search_path to ${schema}`);
    let count = 0;
    const query: Query = async (sql, ...values) => {
      count = 0;
      return (
        await client.query(
          sql.replaceAll('?', () => `$${(count += 1)}`),
          values,
        )
      ).rows as Record<string, unknown>[];
    };
    const columns = `select table_name as "table", column_name as "column", data_type as type from information_schema.columns where table_schema = '${schema}'`;
    return { store, query, columns, close: () => client.end() };
  },
};

it.each(['SQLite', 'PostgreSQL'] as const)('notices a change in any column that is sealed, on %s', async (kind) => {
  const { store, query, columns, close } = await ledgers[kind]();
  const usage_by_model = [{ model_name: 'a', input_tokens: 1, output_tokens: 2, cost: 0.5 }];
  const usage_over_time = [{ at: noon + 3_600_000, input_tokens: 1, output_tokens: 2, cost: 0.5 }];
  const run = { started_at: noon, labels: {}, ended_at: noon + 5, tape_sha256: 'a' };
  await store.put({
    ...run,
    id: 'one',
    key: '1',
    outcome: outcomeWith({ usage_by_model, usage_over_time } as never),
  });
  await store.put({ ...run, id: 'two', key: '2', outcome: outcomeWith({ artifacts: [], tool_calls: [] }) });
  expect(await findings(store)).toEqual([]);
  const tried: string[] = [];
  const unnoticed: string[] = [];
  for (const { table, column, type } of (await query(columns)) as Record<'table' | 'column' | 'type', string>[]) {
    if (!['runs', 'documents', ...figureTables].includes(table) || unsealed[table]?.split(' ').includes(column))
      continue;
    const key = { runs: 'id', documents: 'seq' }[table] ?? 'run';
    const is = table === 'documents' ? "(select seq from runs where id = 'one')" : "'one'";
    const [before] = await query(`select ${column} as value from ${table} where ${key} = ${is}`);
    const old = before?.['value'] as string | number | Uint8Array | null;
    const other =
      column === 'run'
        ? 'two'
        : /int|real|double/i.test(type)
          ? Number(old ?? 0) + 1
          : column === 'parts'
            ? Buffer.concat([Buffer.from(old as Uint8Array), Buffer.from([2, 3])])
            : `${outcomeText(old ?? '')} `;
    try {
      await query(`update ${table} set ${column} = ? where ${key} = ${is}`, other);
    } catch {
      // Nobody can change it: other rows refer to it.
      continue;
    }
    tried.push(`${table}.${column}`);
    if ((await findings(store)).length === 0) unnoticed.push(`${table}.${column}`);
    await query(`update ${table} set ${column} = ? where ${key} = ${column === key ? "'two'" : is}`, old);
    expect([column, await findings(store)]).toEqual([column, []]);
  }
  expect(unnoticed).toEqual([]);
  expect(tried.length).toBeGreaterThan(35);
  await close();
  await store.close();
});

it('notices an outcome that is not what the tape says, also if it was sealed again', async () => {
  const { id } = await recorded();
  const store = await openSqlite(path());
  const { outcome } = (await store.get(id)) ?? {};
  if (outcome === undefined) throw new Error('it has no outcome');
  const found = async (changed: typeof outcome): Promise<string[]> => {
    const { tape_sha256 = '' } = (await store.get(id)) ?? {};
    await store.finish(id, { outcome: changed, ended_at: noon, tape_sha256 });
    return findings(store);
  };
  expect(await found(outcome)).toEqual([]);
  const said = (what: string) => [`problem: its outcome was changed: ${what} is not what its tape says`];
  expect(await found({ ...outcome, message: 'Another answer' })).toEqual(said('its answer'));
  expect(await found({ ...outcome, metrics: { ...outcome.metrics, cost: 9999 } })).toEqual(said('cost'));
  expect(await found({ ...outcome, metrics: { ...outcome.metrics, input_tokens: 1 } })).toEqual(said('input_tokens'));
  expect(await found({ ...outcome, verdict: { ...outcome.verdict, class: 'provider' } })).toEqual(said('its verdict'));
  await store.close();
});

it('does not complain about runs that an older version did not seal, and says how many there are', async () => {
  await recorded();
  const database = new DatabaseSync(path());
  database.exec("update documents set seal = null; update runs set cost = 5, cost_source = 'reported'");
  database.close();
  const store = await openSqlite(path());
  const verifying = verifyLedger({ store, tapes: tapes() });
  expect(await verifying.next()).toEqual({ done: true, value: { runs: 1, tapes: 1, unsealed: 1 } });
  await store.close();
});

it('exports and imports everything that is kept of a run', async () => {
  const from = await openSqlite(path());
  const run = newRun({
    user: 'ann',
    repo: 'acme/shop',
    cwd: '/project',
    labels: { team: 'x', 'git.branch': 'main' },
    tape: '2026/11/a.tape.zst',
    parent_run_id: 'p',
    root_run_id: 'r',
    owner: { host: 'far', machine: 'm', boot: 'b', pid: 7, process_started: '9' },
  });
  await from.begin(run);
  const attempts = [
    { number: 1, status: 'error', class: 'provider', session_id: 's-0', reason: 'overloaded' } as const,
  ];
  const usage_by_model = [{ model_name: 'big', input_tokens: 40, cost: 2 }];
  await from.finish(run.id, {
    outcome: { ...outcomeWith(), usage_by_model },
    ended_at: noon + 2500,
    last_sequence: 9,
    attempts,
    tape_sha256: 'abc',
  });
  await absorbImports(from, run.id);
  const lines: string[] = [];
  for await (const line of exportRuns(from.export({}), 'json')) lines.push(line);
  const to = await openSqlite(join(folder, 'other.db'));
  async function* bytes(): AsyncGenerator<Uint8Array> {
    yield Buffer.from(lines.join(''));
  }
  async function* sources() {
    yield { name: '-', at: noon, stdout: bytes };
  }
  const kinds: string[] = [];
  for await (const { kind } of importRuns(to, sources())) kinds.push(kind);
  expect(kinds).toEqual(['added']);
  const { key, ...copy } = (await to.get(run.id)) ?? { key: undefined };
  expect(key).toBe(`run:${run.id}`);
  expect(copy).toEqual(await from.get(run.id));
  for (const by of ['model', 'tool', 'user', 'host', 'repo', 'cwd', 'session'] as const)
    expect(await to.stats(by, {})).toEqual(await from.stats(by, {}));
  await from.close();
  await to.close();
});

it('leaves no trace of a pruned text, and a smaller file', async () => {
  const store = await openSqlite(path());
  const secret = 'xylophonequartz';
  for (let index = 0; index < 300; index += 1) {
    const prompt = `${secret}${index} ${'filler '.repeat(300)}${index}`;
    await store.put({
      id: `run-${index}`,
      key: String(index),
      started_at: noon + index,
      ended_at: noon + index,
      labels: {},
      outcome: outcomeWith({ metadata: { initial_prompt: prompt }, message: `${secret} done` } as object),
    });
  }
  await store.begin(newRun({ prompt: 'stays' }));
  const before = statSync(path()).size + statSync(`${path()}-wal`).size;
  expect(await pruneRuns({ store, tapes: tapes() }, { filter: {} })).toMatchObject({ runs: 300 });
  const left = Buffer.concat([readFileSync(path()), readFileSync(`${path()}-wal`)]);
  expect(left.length).toBeLessThan(before / 3);
  expect(left.includes(secret)).toBe(false);
  expect(await store.count({})).toBe(1);
  await store.close();
});

it('keeps tapes from a clock that jumps ahead, and lets them go when time has gone by', async () => {
  const { tape } = await recorded();
  const day = 86_400_000;
  const now = Date.now();
  const store = await openSqlite(path());
  const isThere = (): boolean => statSync(tape, { throwIfNoEntry: false }) !== undefined;
  await tidy(store, tapes(), now + 91 * day);
  expect(isThere()).toBe(true);
  // The clock is right again, and time goes by.
  for (let passed = 1; passed <= 85; passed += 14) await tidy(store, tapes(), now + passed * day);
  expect(isThere()).toBe(true);
  await tidy(store, tapes(), now + 91 * day);
  expect(isThere()).toBe(false);
  await store.close();
});

it('reads the runs of several statuses in order, without a sort for every page', async () => {
  await (await openSqlite(path())).close();
  const database = new DatabaseSync(path());
  const { from, where, id, values } = select({ kind: 'sqlite', prefix: '' } as Database, {
    status: ['success', 'error'],
    started_to: noon,
  });
  const plan = database.prepare(`explain query plan select r.id ${from} ${where} order by ${id} desc limit 9`);
  expect(JSON.stringify(plan.all(...values))).not.toMatch(/TEMP B-TREE/);
  database.close();
});
