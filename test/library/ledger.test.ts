import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type EventRecord,
  Failure,
  type Ledger,
  type LedgerOptions,
  openLedger,
  run,
  type Run,
} from '../../src/index.ts';
import { ledgerPlace, openStore } from '../../src/stores/open-store.ts';
import { shortRunId } from '../../src/ids/run-id.ts';
import type { PostgresDatabase } from '../stores/support/postgres.ts';
import { sharedPostgres } from '../stores/support/shared-postgres.ts';
import { newRun } from '../stores/support/runs.ts';
import { drained } from '../support/drained.ts';

const root = join(import.meta.dirname, '..', '..');
const examples = join(root, 'examples');
const folder = mkdtempSync(join(tmpdir(), 'runwire-library-'));
let postgres: PostgresDatabase;
beforeAll(async () => void (postgres = await sharedPostgres()));
afterAll(async () => {
  await postgres.remove();
  rmSync(folder, { recursive: true, force: true });
});

const codexRun = join(examples, 'codex-run.jsonl');
const command = ['cat', codexRun];
/** Says something, then waits to be ended. */
const patient = ['sh', '-c', `head -n 5 '${codexRun}'; sleep 60`];

/** What was thrown, if it is a `Failure`. */
async function failureOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Failure) return `${error.code}: ${error.message}`;
    throw new Error('not a Failure', { cause: error });
  }
  return 'nothing';
}

describe.each<[string, () => string]>([
  ['SQLite', () => join(mkdtempSync(join(folder, 'case-')), 'ledger.db')],
  ['PostgreSQL', () => postgres.url(`library${Math.floor(Math.random() * 1e9)}`)],
])('the ledger of runs in %s', (_name, newPlace) => {
  let place: string;
  let env: Record<string, string>;
  let ledger: Ledger;
  let parent: Run;
  let child: Run;
  let failed: Run;
  beforeAll(async () => {
    place = newPlace();
    // What a ledger in PostgreSQL keeps on this machine is ours alone.
    env = { PATH: process.env['PATH'] ?? '', XDG_STATE_HOME: mkdtempSync(join(folder, 'state-')) };
    const options = { ledger: place, env, cwd: folder };
    parent = run({ ...options, command, labels: { team: 'parsers' } });
    child = run({ ...options, command, parent });
    await Promise.all([parent.outcome, child.outcome]);
    failed = run({ ...options, command: ['sh', '-c', 'echo no >&2; exit 3'] });
    await failed.outcome;
    ledger = await openLedger(options);
  });
  afterAll(() => ledger.close());

  /** A run is there as soon as its agent speaks. */
  async function seen({ id }: Run): Promise<void> {
    while ((await ledger.list({}, { limit: 1 })).runs[0]?.id !== id) await sleep(20);
  }

  it('finds a run by its id, by the beginning of a short one, and the last', async () => {
    const found = await ledger.find(parent.id);
    expect(found).toMatchObject({
      id: parent.id,
      status: 'success',
      labels: { team: 'parsers' },
      children: { runs: 1 },
    });
    expect(await ledger.find(shortRunId(parent.id))).toEqual(found);
    expect((await ledger.find('last')).id).toBe(failed.id);
  });

  it('lists a page at a time, and what a filter names', async () => {
    const first = await ledger.list({}, { limit: 2 });
    const rest = await ledger.list({}, { limit: 2, after: first.next ?? '' });
    const ids = [...first.runs, ...rest.runs].map(({ id }) => id);
    expect(ids).toEqual([parent.id, child.id, failed.id].toSorted().toReversed());
    expect(rest.next).toBeUndefined();
    const named = async (filter: Parameters<Ledger['list']>[0]) => (await ledger.list(filter)).runs.map(({ id }) => id);
    expect(await named({ labels: { team: 'parsers' } })).toEqual([parent.id]);
    expect(await named({ class: [(await failed.outcome).verdict.class] })).toEqual([failed.id]);
    expect(await named({ parent: [shortRunId(parent.id)] })).toEqual([child.id]);
  });

  it('takes an option without a value as none', async () => {
    expect(await ledger.list({}, { limit: undefined, after: undefined })).toEqual(await ledger.list());
    const ids: string[] = [];
    let after: string | undefined;
    do {
      const page: Awaited<ReturnType<Ledger['list']>> = await ledger.list({}, { limit: 1, after });
      ids.push(...page.runs.map(({ id }) => id));
      after = page.next;
    } while (after !== undefined);
    expect(ids).toEqual((await ledger.list()).runs.map(({ id }) => id));
    expect((await drained(ledger.records(parent.id, { after: undefined }))).values).toEqual(
      (await drained(ledger.records(parent.id))).values,
    );
    const following = ledger.follow(parent.id, { after: undefined, signal: undefined });
    expect((await drained(following)).values).toEqual((await drained(ledger.records(parent.id))).values);
    expect(await ledger.outcome(parent.id, { timeoutMs: undefined, signal: undefined })).toMatchObject({
      status: 'success',
    });
    expect(await ledger.stats('all', {}, { timeZone: undefined, percentiles: undefined })).toHaveLength(1);
    const other = await openLedger({ ledger: place, tapes: undefined, cwd: undefined, env });
    const missing = other.import('nothing-here', { from: undefined, labels: undefined, redact: undefined });
    expect((await drained(missing)).values).toMatchObject([{ kind: 'broken' }]);
    await other.close();
  });

  it('tells the records of a run, from where one wants, also of one that has ended', async () => {
    const told: EventRecord[] = [];
    for await (const record of parent) told.push(record);
    const { values } = await drained(ledger.records(parent.id));
    expect(values.slice(0, -1)).toEqual(told.slice(0, -1));
    expect(values.at(-1)).toMatchObject({ type: 'thread.completed', sequence: told.length });
    expect((await drained(ledger.records(parent.id, { after: 5 }))).values).toEqual(values.slice(5));
    expect((await drained(ledger.follow(parent.id, { after: 5 }))).values).toEqual(values.slice(5));
  });

  it('follows a run to its end, and waits for what it comes to', async () => {
    const slow = run({
      command: ['sh', '-c', `head -n 5 '${codexRun}'; sleep 0.5; tail -n +6 '${codexRun}'`],
      ledger: place,
      env,
      cwd: folder,
    });
    await seen(slow);
    const [{ values }, outcome] = await Promise.all([
      drained(ledger.follow(slow.id)),
      ledger.outcome(slow.id),
      slow.outcome,
    ]);
    expect(values.at(-1)?.type).toBe('thread.completed');
    expect(outcome).toMatchObject({ status: 'success', verdict: { class: 'success' } });
  });

  it('stops to wait when it is told to', async () => {
    const endless = run({ command: patient, ledger: place, env, cwd: folder });
    try {
      await seen(endless);
      expect(await failureOf(ledger.outcome(endless.id, { timeoutMs: 50 }))).toMatch(
        /^time_limit: the run \w{8} has not ended in time$/,
      );
      expect(await failureOf(ledger.outcome(endless.id, { signal: AbortSignal.timeout(50) }))).toMatch(/^cancelled: /);
      const { values } = await drained(ledger.follow(endless.id, { signal: AbortSignal.timeout(50) }));
      expect(values.map(({ type }) => type)).not.toContain('thread.completed');
      const other = await openLedger({ ledger: place, env });
      const following = drained(other.follow(endless.id));
      const waiting = failureOf(other.outcome(endless.id));
      setTimeout(() => void other.close(), 50);
      expect(await waiting).toBe('cancelled: the ledger was closed');
      expect((await following).values.map(({ type }) => type)).not.toContain('thread.completed');
    } finally {
      endless.cancel();
      await endless.outcome;
    }
  });

  it('tells no more records when it is told to stop, however many there are', async () => {
    expect((await drained(ledger.follow(parent.id, { signal: AbortSignal.abort() }))).values).toEqual([]);
    const enough = new AbortController();
    let told = 0;
    for await (const _record of ledger.follow(parent.id, { signal: enough.signal })) if (++told === 2) enough.abort();
    expect(told).toBe(2);
    const other = await openLedger({ ledger: place, env });
    const [following, reading] = [other.follow(parent.id), other.records(parent.id)];
    expect([(await following.next()).done, (await reading.next()).done]).toEqual([false, false]);
    await other.close();
    expect((await following.next()).done).toBe(true);
    expect(await failureOf(drained(reading))).toBe('cancelled: the ledger was closed');
  });

  it('answers the questions that the command answers', async () => {
    expect((await ledger.timeline(parent.id)).entries.map(({ name, status }) => [name, status])).toContainEqual([
      'file_change',
      'success',
    ]);
    expect(await ledger.diff(parent.id, failed.id)).toMatchObject({ a: parent.id, b: failed.id, same_class: false });
    expect(await ledger.diff(parent.id, parent.id)).toMatchObject({ same_class: true, fields: [] });
    expect(await ledger.stats('class', { root: [parent.id] })).toMatchObject([{ group: 'success', runs: 1 }]);
    expect(await ledger.stats('agent,day', {}, { timeZone: 'Europe/Zurich', percentiles: true })).not.toEqual([]);
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    expect(await ledger.stats('day', {}, { timeZone: 'local' })).toEqual(await ledger.stats('day', {}, { timeZone }));
    expect(await ledger.outcome(parent.id, { timeoutMs: Infinity })).toMatchObject({ status: 'success' });
    expect((await ledger.tree(parent.id)).map(({ id, depth }) => [id, depth])).toEqual([
      [parent.id, 0],
      [child.id, 1],
    ]);
    const { values, end } = await drained(ledger.verify());
    expect({ values, runs: end.runs }).toEqual({ values: [], runs: (await drained(ledger.export())).values.length });
  });

  it('imports what others wrote, once, without secrets', async () => {
    const token = 'ghp_abcdefghijklmnopqrstuvwxyz0123456789';
    const path = join(mkdtempSync(join(folder, 'import-')), 'one.jsonl');
    const labels = { from: 'ci', path };
    // A session that no try before has imported.
    writeFileSync(
      path,
      readFileSync(join(examples, 'false-success.jsonl'), 'utf8')
        .replace(/"id":"[^"]+"/, `"id":"${randomUUID()}"`)
        .replaceAll('500 The server', `500 ${token} The server`),
    );
    const { values: first } = await drained(ledger.import(path, { labels }));
    expect(first).toMatchObject([{ kind: 'added' }]);
    expect((await drained(ledger.import([path]))).values).toMatchObject([{ kind: 'same' }]);
    const [added] = (await ledger.list({ labels })).runs;
    const whole = JSON.stringify(await ledger.find(added?.id ?? ''));
    expect(whole).toContain('The server');
    expect(whole).not.toContain(token);
    expect((await drained(ledger.import('nothing-here'))).values).toMatchObject([{ kind: 'broken' }]);
  });

  it('throws a Failure for what makes no sense, and nothing else', async () => {
    const none: never = undefined as never;
    const wrong: [() => Promise<unknown>, string][] = [
      [() => ledger.find('zzzz'), 'input: no run "zzzz"; "runwire runs list" shows them'],
      [() => ledger.find('\0'), 'input: no run "\\x00"; "runwire runs list" shows them'],
      [() => ledger.find(none), 'input: find(): run: expected an id, the beginning of one, or last'],
      [() => ledger.find(''), 'input: find(): run: expected an id, the beginning of one, or last'],
      [() => ledger.tree(''), 'input: tree(): run: expected an id, '],
      [() => ledger.outcome(''), 'input: outcome(): run: expected an id, '],
      [() => ledger.timeline(''), 'input: timeline(): run: expected an id, '],
      [() => ledger.diff(parent.id, ''), 'input: diff(): run: expected an id, '],
      [() => drained(ledger.records('')), 'input: records(): run: expected an id, '],
      [() => drained(ledger.follow('')), 'input: follow(): run: expected an id, '],
      [() => ledger.list({ agents: ['x'] } as never), 'input: list(): unknown option agents'],
      [() => ledger.list({}, { limit: 0 }), 'input: list(): limit: Too small: expected number to be >=1'],
      [() => ledger.list({}, { after: 'x' }), 'input: list(): after: expected "next" of the previous page'],
      [() => ledger.stats('colour'), 'input: by colour: expected agent, '],
      [() => ledger.stats('day', {}, { timeZone: 'Nowhere/None' }), 'input: '],
      [
        () => ledger.outcome(parent.id, { timeoutMs: -1 }),
        'input: outcome(): timeoutMs: expected a positive number of milliseconds',
      ],
      [
        () => ledger.outcome(parent.id, { timeoutMs: NaN }),
        'input: outcome(): timeoutMs: expected a positive number of milliseconds',
      ],
      [() => drained(ledger.records(parent.id, { after: -1 })), 'input: records(): after: Too small'],
      [() => drained(ledger.records('zzzz')), 'input: no run "zzzz"'],
      [() => drained(ledger.import([''])), 'input: import(): paths'],
      [() => drained(ledger.import(codexRun, { from: 'codx' })), 'input: '],
    ];
    for (const [work, message] of wrong) expect(await failureOf(work())).toContain(message);
    const path = join(mkdtempSync(join(folder, 'tapeless-')), 'one.jsonl');
    writeFileSync(
      path,
      readFileSync(codexRun, 'utf8').replaceAll(/"thread_id":"[^"]+"/g, `"thread_id":"${randomUUID()}"`),
    );
    await drained(ledger.import(path, { labels: { from: 'nowhere' }, tape: false }));
    const tapeless = (await ledger.list({ labels: { from: 'nowhere' } })).runs[0]?.id ?? '';
    expect(await failureOf(ledger.timeline(tapeless))).toContain('has no tape');
  });

  it('throws what its reader throws into it', async () => {
    const mine = new Error('mine');
    for (const reading of [ledger.records(parent.id), ledger.follow(parent.id), ledger.export()]) {
      await reading.next();
      await expect(reading.throw(mine)).rejects.toBe(mine);
      expect(await reading.next()).toEqual({ done: true, value: undefined });
    }
  });

  it('names the runs that an ambiguous word may mean', async () => {
    const store = await openStore(ledgerPlace(place, env, folder) as Parameters<typeof openStore>[0]);
    for (let index = 0; index < 200; index += 1) await store.begin(newRun());
    await store.close();
    const told = await Promise.all(Array.from('0123456789abcdef', (letter) => failureOf(ledger.find(letter))));
    expect(
      told.some((message) => /^input: ambiguous id "\w": it may be (?:\w{8}, )+\w{8}; give more of it$/.test(message)),
    ).toBe(true);
  });

  it('says that it was closed', async () => {
    const other = await openLedger({ ledger: place, env });
    await other.close();
    await other.close();
    expect(await failureOf(other.list())).toBe('cancelled: the ledger was closed');
    expect(await failureOf(drained(other.records(parent.id)))).toBe('cancelled: the ledger was closed');
  });

  it('says so also to who asked before, and both who close it wait for its end', async () => {
    const other = await openLedger({ ledger: place, env });
    const asked = [
      ...Array.from({ length: 5 }, () => failureOf(other.tree(parent.id))),
      ...[other.export(), other.verify()].map((asking) => failureOf(drained<unknown, unknown>(asking))),
    ];
    const order: string[] = [];
    await Promise.all([other.close().then(() => order.push('first')), other.close().then(() => order.push('second'))]);
    expect(order).toEqual(['first', 'second']);
    for (const message of await Promise.all(asked))
      expect(message).toMatch(/^(?:nothing|cancelled: the ledger was closed)$/);
  });
});

describe('a ledger that was never written', () => {
  let options: { ledger: string; cwd: string; env: Record<string, string> };
  beforeEach(() => void (options = { ledger: 'state/ledger.db', cwd: mkdtempSync(join(folder, 'empty-')), env: {} }));
  const isThere = (): boolean => existsSync(join(options.cwd, 'state'));

  it('has no runs, and is not made by looking at it', async () => {
    const ledger = await openLedger(options);
    expect(await ledger.list()).toEqual({ runs: [] });
    expect(await ledger.stats('agent')).toEqual([]);
    expect(await drained(ledger.export())).toMatchObject({ values: [] });
    expect(await drained(ledger.verify())).toEqual({ values: [], end: { runs: 0, tapes: 0, unsealed: 0 } });
    expect(await failureOf(ledger.find('last'))).toBe('input: no runs yet');
    expect(isThere()).toBe(false);
    await ledger.close();
  });

  it('has the first run as soon as somebody writes it', async () => {
    const ledger = await openLedger(options);
    expect((await ledger.list()).runs).toEqual([]);
    const work = run({ ...options, env: { PATH: process.env['PATH'] }, command });
    await work.outcome;
    expect((await ledger.find('last')).id).toBe(work.id);
    await ledger.close();
  });

  it('is made by an import', async () => {
    const ledger = await openLedger(options);
    expect((await drained(ledger.import(codexRun))).values).toMatchObject([{ kind: 'added' }]);
    expect((await ledger.find('last')).agent).toBe('codex');
    await ledger[Symbol.asyncDispose]();
    expect(isThere()).toBe(true);
  });
});

it.each<[string, unknown, string]>([
  ['no ledger', { ledger: 'none' }, 'input: the ledger is "none", so there are no runs; name one'],
  ['another scheme', { ledger: 'ftp://x' }, 'config: a ledger cannot be at ftp://'],
  ['a typo', { leger: 'x' }, 'input: openLedger(): unknown option leger'],
  ['no text', { ledger: 7 }, 'input: openLedger(): ledger: Invalid input: expected string, received number'],
  ['tapes nowhere', { ledger: 'x.db', tapes: 'postgres' }, 'config: tapes can be in postgres only if the ledger is'],
  ['a server that is not there', { ledger: 'postgres://localhost:1/x?connect_timeout=2' }, 'config: '],
  ['a file that is none', { ledger: join(examples, 'codex-run.jsonl') }, 'config: cannot use the ledger'],
])('%s is a Failure', async (_name, options, message) => {
  expect(await failureOf(openLedger(options as LedgerOptions))).toContain(message);
});
