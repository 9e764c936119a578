import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Claim } from '../../src/claims/claim.ts';
import { reserve, reserveMore, settle } from '../../src/ledger/budget.ts';
import { closeInterrupted } from '../../src/ledger/close-interrupted.ts';
import { FileTapes } from '../../src/tapes/file-tapes.ts';
import { ledgerOutcome } from '../../src/stores/ledger-outcome.ts';
import { postgresMigrations } from '../../src/stores/migrations/postgres.ts';
import { sqliteMigrations } from '../../src/stores/migrations/sqlite.ts';
import type { Database } from '../../src/stores/database.ts';
import { thisProcess } from '../../src/processes/owner.ts';
import { openPostgres } from '../../src/stores/postgres.ts';
import { newRunId, shortRunId } from '../../src/ids/run-id.ts';
import type { NewRun, RunFilter, RunRecord, RunStore } from '../../src/stores/run-store.ts';
import { openSqlite } from '../../src/stores/sqlite.ts';
import { statsSql } from '../../src/stores/stats-sql.ts';
import { fuzzRuns, fuzzSeed } from '../support/fuzz.ts';
import { isSweep } from '../support/sweep.ts';
import { change } from './support/change.ts';
import { someFilter, someLabels, someOutcome, somePlace } from './support/arbitrary.ts';
import { matches } from './support/matches.ts';
import { perform } from './support/perform.ts';
import { type PostgresDatabase, startPostgres } from './support/postgres.ts';
import { sharedPostgres } from './support/shared-postgres.ts';
import { newRun, noon, outcomeWith } from './support/runs.ts';
import { ledgerSink } from './support/sink.ts';

const folder = mkdtempSync(join(tmpdir(), 'runwire-ledger-'));
let server: PostgresDatabase;
let count = 0;
beforeAll(async () => {
  server = await sharedPostgres();
});
afterAll(async () => {
  await server.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** The address of an empty ledger. */
const places = {
  sqlite: () => join(folder, `${(count += 1)}.db`),
  postgres: () => server.url(server.newName('ledger')),
};
const openers = { sqlite: openSqlite, postgres: openPostgres };
const ending = { outcome: outcomeWith(), ended_at: noon + 2500, last_sequence: 9 };

const refuse = (message: string): never => {
  throw new Error(message);
};

async function idsOf(store: RunStore, filter: RunFilter): Promise<string[]> {
  return (await store.list(filter, { limit: 1000 })).runs.map(({ id }) => id);
}

async function exported(store: RunStore): Promise<RunRecord[]> {
  const runs: RunRecord[] = [];
  for await (const run of store.export({})) runs.push(run);
  return runs;
}

describe.each(['sqlite', 'postgres'] as const)('a ledger in %s', (kind) => {
  async function withStore(work: (store: RunStore, place: string) => Promise<void>): Promise<void> {
    const place = places[kind]();
    const store = await openers[kind](place);
    try {
      await work(store, place);
      expect(await store.verify()).toEqual([]);
    } finally {
      await store.close();
    }
  }

  describe('budgets', () => {
    const costing = (cost: number) => ({ ...ending, outcome: outcomeWith({ metrics: { cost } }) });

    it('are reserved before a run, and settled with what it and those below it took, however it ended', () =>
      withStore(async (store) => {
        await store.budgets.set({ name: 'team-a', usd: 10, per: 'day' });
        const [run, lost] = [newRun(), newRun()];
        const child = newRun({ parent_run_id: run.id, root_run_id: run.id });
        const first = await reserve(store, 'team-a', run.id);
        expect(first).toMatchObject({ kind: 'reserved', reservation: { usd: 0.1 } });
        for (const each of [run, child]) await store.begin(each);
        expect(await store.budgets.list()).toMatchObject([
          { spent: { usd: 0 }, reserved: { usd: 0.1 }, runs: 1, running: 1 },
        ]);
        await store.note(run.id, { at: noon, cost: 0.5 });
        const more = await reserveMore(store, 'team-a', run.id, { spent: { usd: 0.5, tokens: 9 }, step: { usd: 0.5 } });
        expect(more).toMatchObject({ kind: 'reserved', reservation: { usd: 1 } });
        expect(await store.budgets.list()).toMatchObject([{ spent: { usd: 0.5 }, reserved: { usd: 0.5 } }]);
        await store.finish(child.id, costing(2));
        await store.finish(run.id, costing(1));
        expect(await store.budgets.list()).toMatchObject([
          { spent: { usd: 3, tokens: 240 }, reserved: { usd: 0 }, runs: 1, running: 0, unpriced: 0 },
        ]);
        // A run whose process is gone is settled with what was known of it.
        await reserve(store, 'team-a', lost.id, { usd: 4 });
        await store.begin({ ...lost, owner: { ...lost.owner, process_started: 'long ago' } });
        await store.note(lost.id, { at: noon, cost: 0.75 });
        expect(await store.budgets.list()).toMatchObject([{ spent: { usd: 3.75 }, reserved: { usd: 2.75 } }]);
        await closeInterrupted(store, new FileTapes(folder), noon);
        expect(await store.budgets.list()).toMatchObject([{ spent: { usd: 3.75 }, reserved: { usd: 0 } }]);
        // What is forgotten of the runs is not forgotten of the budget.
        await store.prune({});
        expect(await store.count({})).toBe(0);
        expect(await store.budgets.list()).toMatchObject([{ spent: { usd: 3.75, tokens: 240 }, runs: 2 }]);
      }));

    it('say which one is gone, and until when', () =>
      withStore(async (store) => {
        await store.budgets.set({ name: 'team-a', usd: 1, tokens: 1000, per: 'month' });
        const run = newRun();
        await reserve(store, 'team-a', run.id);
        await store.begin(run);
        await store.finish(run.id, costing(1.5));
        const refused = await reserve(store, 'team-a', newRun().id);
        expect(refused).toMatchObject({
          kind: 'exceeded',
          limit: 'cost',
          message: expect.stringMatching(
            /^the budget "team-a" of \$1 a month was reached: \$1.5 spent; the next month begins at \d{4}-\d\d-01T00:00Z$/,
          ),
        });
        await store.budgets.set({ name: 'team-a', tokens: 100, per: 'total' });
        expect(await reserve(store, 'team-a', newRun().id)).toMatchObject({
          message: 'the budget "team-a" of 100 tokens was reached: 120 tokens spent',
        });
        await store.budgets.set({ name: 'team-a', usd: 2, per: 'week' });
        expect(await reserve(store, 'team-a', newRun().id, { usd: 9 })).toMatchObject({ reservation: { usd: 0.25 } });
        await expect(reserve(store, 'team-b', run.id)).rejects.toThrow('no budget "team-b" in');
        expect(await store.budgets.remove('team-a')).toBe(true);
        expect(await store.budgets.remove('team-a')).toBe(false);
        expect(await store.budgets.list()).toEqual([]);
      }));

    it('know of a run that begins again what it took before, in the period that it was, and also when the ledger has forgotten it', () =>
      withStore(async (store) => {
        const taken = async (): Promise<unknown> =>
          (await store.budgets.list()).map(({ spent, reserved }) => [spent.usd, reserved.usd]);
        await store.budgets.set({ name: 'team-a', usd: 2, per: 'day' });
        const run = newRun();
        const again = (number: number) =>
          ({ number, status: 'error', class: 'provider', reason: 'it was queued again' }) as const;
        await reserve(store, 'team-a', run.id);
        await store.begin(run);
        await store.finish(run.id, costing(2));
        expect(await reserve(store, 'team-a', run.id)).toMatchObject({
          kind: 'exceeded',
          budget: { spent: { usd: 2 } },
        });
        await store.budgets.set({ name: 'team-a', usd: 10, per: 'day' });
        expect(await reserve(store, 'team-a', run.id)).toMatchObject({ kind: 'reserved', reservation: { usd: 0.1 } });
        expect(await taken()).toEqual([[2, 0]]);
        await store.begin({ ...run, lost: [{ ...again(1), cost: 2 }] });
        expect(await taken()).toEqual([[2, 0.1]]);
        await store.finish(run.id, costing(3));
        expect(await taken()).toEqual([[5, 0]]);
        await store.prune({});
        await reserve(store, 'team-a', run.id);
        await store.begin({ ...run, lost: [{ ...again(1), cost: 2 }, again(2)] });
        await reserveMore(store, 'team-a', run.id, { spent: { usd: 0.5, tokens: 0 }, step: { usd: 0.5 } });
        expect(await taken()).toEqual([[5, 1]]);
        await store.finish(run.id, costing(4));
        expect(await taken()).toEqual([[9, 0]]);
      }));

    it('of a day count what a run takes on that day, whenever it first began', () =>
      withStore(async (store, place) => {
        await store.budgets.set({ name: 'team-a', usd: 2, per: 'day' });
        const run = newRun();
        await reserve(store, 'team-a', run.id);
        await store.begin(run);
        await store.finish(run.id, costing(2));
        const prefix = kind === 'sqlite' ? '' : `${new URL(place).searchParams.get('schema') ?? ''}.`;
        await change(place, `update ${prefix}spendings set at = at - 86400000, period = period - 86400000`);
        expect(await reserve(store, 'team-a', run.id)).toMatchObject({ kind: 'reserved' });
        await store.begin({
          ...run,
          lost: [{ number: 1, status: 'error', class: 'provider', reason: 'it was queued again', cost: 2 }],
        });
        await store.finish(run.id, costing(1.5));
        expect(await store.budgets.list()).toMatchObject([{ spent: { usd: 1.5 }, runs: 1 }]);
      }));

    it('hold for many that reserve at the same moment', () =>
      withStore(async (store, place) => {
        await store.budgets.set({ name: 'all', usd: 1, per: 'total' });
        const others = await Promise.all(Array.from({ length: 4 }, () => openers[kind](place)));
        const ids = Array.from({ length: 40 }, () => newRun().id);
        await Promise.all(ids.map((id, index) => reserve(others[index % 4] ?? store, 'all', id, { usd: 0.4 })));
        const [{ spent, reserved } = { spent: { usd: 9 }, reserved: { usd: 9 } }] = await store.budgets.list();
        expect(spent.usd + reserved.usd).toBeLessThanOrEqual(1);
        expect(reserved.usd).toBeGreaterThan(0.9);
        for (const id of ids) await settle(store, id, { usd: 0.001 });
        const [after] = await store.budgets.list();
        expect(after?.reserved.usd).toBe(0);
        expect(after?.spent.usd).toBeCloseTo(0.04);
        for (const other of others) await other.close();
      }));
  });

  it('knows the runs of a session, labels them, and removes one', () =>
    withStore(async (store) => {
      const [first, second] = [newRun({ labels: { team: 'x' } }), newRun({})];
      for (const run of [first, second]) {
        await store.begin(run);
        await store.note(run.id, { at: noon, session_id: 's-7' });
      }
      await store.addLabels(first.id, { team: 'y', more: 'z' });
      const found = await store.ofSession('s-7');
      expect(found.map(({ id, labels }) => [id, labels])).toEqual(
        [first, second]
          .toSorted((a, b) => (a.id < b.id ? -1 : 1))
          .map(({ id }) => [id, id === first.id ? { team: 'x', more: 'z' } : {}]),
      );
      await store.remove(first.id);
      expect((await store.ofSession('s-7')).map(({ id }) => id)).toEqual([second.id]);
      expect(await store.ofSession('s-8')).toEqual([]);
    }));

  it('has a run from its beginning, with what is known so far', () =>
    withStore(async (store) => {
      const run = newRun({ labels: { team: 'x' }, cwd: '/project', tape: '2026/11/x.tape.zst' });
      await store.begin(run);
      await store.begin(run);
      await store.note(run.id, {
        at: noon + 5,
        last_sequence: 3,
        session_id: 's-1',
        agent: 'codex',
        agent_version: '1.2',
      });
      await store.note(run.id, { at: noon + 9, model: 'm' });
      expect(await store.get(run.id)).toEqual({
        id: run.id,
        status: 'running',
        agent: 'codex',
        agent_version: '1.2',
        model: 'm',
        session_id: 's-1',
        cwd: '/project',
        host: run.owner.host,
        title: 'Fix the parser',
        prompt: 'Fix the parser',
        started_at: noon,
        last_sequence: 3,
        heartbeat_at: noon + 9,
        tape: '2026/11/x.tape.zst',
        labels: { team: 'x' },
        attempts: [],
        owner: run.owner,
      });
      expect(await store.open()).toEqual([
        {
          id: run.id,
          owner: run.owner,
          started_at: noon,
          heartbeat_at: noon + 9,
          silent_ms: expect.any(Number),
          last_sequence: 3,
          agent: 'codex',
          agent_version: '1.2',
          model: 'm',
          session_id: 's-1',
          prompt: 'Fix the parser',
          tape: '2026/11/x.tape.zst',
        },
      ]);
    }));

  it('measures silence by the clock of the database, whatever the clocks of the writers say', () =>
    withStore(async (store) => {
      const hour = 3_600_000;
      for (const [index, skew] of [-hour, 0, hour].entries()) {
        const run = newRun({
          id: `skewed-${index}`,
          started_at: Date.now() + skew,
          owner: { ...thisProcess(), host: 'elsewhere' },
        });
        await store.begin(run);
        if (index > 0) await store.note(run.id, { at: Date.now() + skew });
      }
      for (const { silent_ms } of await store.open()) expect(Math.abs(silent_ms)).toBeLessThan(hour / 2);
      const tapes = new FileTapes(join(folder, 'no-tapes'));
      for (const skew of [-hour, 0, hour]) expect(await closeInterrupted(store, tapes, Date.now() + skew)).toEqual([]);
    }));

  it('closes the run of a silent machine with what is known, and lets its tape or its writer tell the rest', () =>
    withStore(async (store) => {
      const home = join(folder, `presumed-${kind}`);
      const elsewhere = new FileTapes(join(home, 'elsewhere'));
      const tapes = new FileTapes(join(home, 'tapes'));
      const gone = { ...thisProcess(), pid: 4_190_000 };
      const writer = {
        begin: (run: NewRun) => store.begin({ ...run, owner: gone }),
        note: store.note.bind(store),
        finish: async () => {},
        close: async () => {},
      };
      const sink = ledgerSink({ folder: home, open: async () => writer, warn: refuse, keepsTape: true });
      await perform(sink, { steps: 2, between: () => sleep(5) });
      const used = { input_tokens: 70, output_tokens: 7, cost: 0.5, tool_calls: 3 };
      await store.note(sink.id, {
        at: Date.now(),
        session_id: 's-9',
        agent: 'counter',
        agent_version: '3',
        model: 'm-1',
        ...used,
      });
      const silence = 20 * 60_000;
      const seenFromAfar: RunStore = new Proxy(store, {
        get: (target, name) => {
          if (name === 'presumed') return async () => [];
          if (name === 'open')
            return async () =>
              (await target.open()).map((run) => ({
                ...run,
                silent_ms: silence,
                owner: { ...run.owner, host: 'far' },
              }));
          const value: unknown = Reflect.get(target, name);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      expect(await closeInterrupted(seenFromAfar, elsewhere, Date.now())).toEqual([sink.id]);
      const presumed = await store.get(sink.id);
      expect(presumed).toMatchObject({
        status: 'incomplete',
        session_id: 's-9',
        agent: 'counter',
        agent_version: '3',
        model: 'm-1',
        ...used,
      });
      expect(presumed?.outcome).toMatchObject({
        session_id: 's-9',
        metrics: { input_tokens: 70, output_tokens: 7, cost: 0.5 },
      });
      expect(presumed?.outcome?.verdict.evidence.at(-1)?.detail).toBe(
        'nothing was heard of it from far for 20 min; its tape is not on this machine',
      );
      // Its own machine is back, and has the tape.
      expect(await closeInterrupted(store, tapes, Date.now())).toEqual([sink.id]);
      const told = await store.get(sink.id);
      expect(told).toMatchObject({ status: 'success', outcome: { message: 'step 2' } });
      expect(told?.outcome?.verdict.evidence.at(-1)?.detail).toMatch(
        /^the process that ran it is gone; its tape has 9 records, the last at \d{4}-\S+Z$/,
      );
      expect(await closeInterrupted(store, tapes, Date.now())).toEqual([]);
    }));

  it('lets a run that was taken for gone go on when it is heard of again, and end', () =>
    withStore(async (store) => {
      const run = newRun({ prompt: 'Wake up' });
      await store.begin(run);
      const [open] = await store.open();
      if (open === undefined) throw new Error('not open');
      const incomplete = {
        ...ending,
        outcome: outcomeWith({ status: 'incomplete', verdict: { class: 'incomplete', exit_code: 8 } }),
      };
      expect(await store.closeInterrupted(open, incomplete, true)).toBe(true);
      expect(await store.presumed(run.owner.host)).toMatchObject([{ id: run.id }]);
      await store.note(run.id, { at: noon + 5000 });
      const again = await store.get(run.id);
      expect([again?.status, again?.class, again?.ended_at, again?.outcome]).toEqual([
        'running',
        undefined,
        undefined,
        undefined,
      ]);
      await store.finish(run.id, ending);
      expect(await store.get(run.id)).toMatchObject({ status: 'success', outcome: { status: 'success' } });
      expect(await store.presumed(run.owner.host)).toEqual([]);
    }));

  it('keeps the outcome without what went into tools and came out of them', () =>
    withStore(async (store) => {
      const run = newRun();
      const attempts = [{ number: 1, status: 'error', class: 'provider', reason: 'overloaded' } as const];
      await store.begin(run);
      await store.finish(run.id, { ...ending, attempts });
      const found = await store.get(run.id);
      expect(found).toMatchObject({
        status: 'success',
        class: 'success',
        exit_code: 0,
        agent: 'claude',
        model: 'anthropic/claude-x',
        ended_at: noon + 2500,
        cost: 0.25,
        tool_calls: 1,
        artifacts: 1,
        warnings: 1,
        last_sequence: 9,
        attempts,
      });
      expect(found?.outcome).toEqual({
        ...outcomeWith(),
        tool_calls: [{ name: 'bash', duration_ms: 40, status: 'completed' }],
      });
      expect(JSON.stringify(found)).not.toMatch(/npm test|ok 12/);
      expect(await store.open()).toEqual([]);
      await expect(store.finish(newRunId(noon), ending)).rejects.toThrow(/no run/);
    }));

  it('remembers what began the run when its events do not say it', () =>
    withStore(async (store) => {
      const run = newRun({ agent: 'codex', model: 'given', prompt: 'Seek the needle' });
      const { agent: _agent, ...provenance } = outcomeWith().provenance;
      const { model_name: _model, ...metrics } = outcomeWith().metrics;
      const outcome = { ...outcomeWith({ metadata: { initial_prompt: '' } }), provenance, metrics };
      await store.begin(run);
      await store.finish(run.id, { ...ending, outcome });
      expect(await store.get(run.id)).toMatchObject({
        agent: 'codex',
        model: 'given',
        prompt: 'Seek the needle',
        outcome: ledgerOutcome(outcome),
      });
      expect(await idsOf(store, { text: 'needle fixed' })).toEqual([run.id]);
    }));

  it('lets one of several closers end a run, and its own writer have the last word', () =>
    withStore(async (store) => {
      const run = newRun();
      await store.begin(run);
      const [open] = await store.open();
      if (open === undefined) throw new Error('not open');
      const incomplete = { ...ending, outcome: outcomeWith({ status: 'incomplete', message: 'half' }) };
      const results = await Promise.all([1, 2, 3].map(() => store.closeInterrupted(open, incomplete)));
      expect(results.toSorted()).toEqual([false, false, true]);
      expect(await store.get(run.id)).toMatchObject({ status: 'incomplete' });
      await store.finish(run.id, ending);
      expect(await store.get(run.id)).toMatchObject({
        status: 'success',
        outcome: { message: 'The parser is fixed.' },
      });
      expect([await idsOf(store, { text: 'half' }), await idsOf(store, { text: 'fixed' })]).toEqual([[], [run.id]]);
    }));

  it('does not close a run that has just been heard of', () =>
    withStore(async (store) => {
      const run = newRun();
      await store.begin(run);
      const [open] = await store.open();
      if (open === undefined) throw new Error('not open');
      await store.note(run.id, { at: noon + 1 });
      expect(await store.closeInterrupted(open, ending)).toBe(false);
      expect(await store.get(run.id)).toMatchObject({ status: 'running' });
    }));

  it('imports a content once', () =>
    withStore(async (store) => {
      const run = { ...ending, id: newRunId(noon), key: 'sha256:1', started_at: noon, labels: { source: 'codex' } };
      expect(await store.put(run)).toBe('added');
      expect(await store.put({ ...run, id: newRunId(noon) })).toBe('same');
      expect(await store.put({ ...run, id: newRunId(noon), key: 'sha256:2' })).toBe('added');
      expect(await store.count({})).toBe(2);
      expect(await store.get(run.id)).toMatchObject({
        key: 'sha256:1',
        labels: { source: 'codex' },
        outcome: ledgerOutcome(ending.outcome),
      });
      expect(await store.count({ text: 'parser fixed' })).toBe(2);
    }));

  it('finds a run by its id and by the beginning of its short one', () =>
    withStore(async (store) => {
      const runs = Array.from({ length: 20 }, (_, index) => newRun({ started_at: noon + index }));
      for (const run of runs) await store.begin(run);
      const [run] = runs;
      if (run === undefined) throw new Error('no run');
      expect(await store.find(run.id)).toEqual([run.id]);
      expect(await store.find(shortRunId(run.id).toUpperCase())).toEqual([run.id]);
      expect(await store.find(shortRunId(run.id).slice(0, 6))).toContain(run.id);
      expect([await store.find(''), await store.find('%'), await store.find("' or 1=1 --")]).toEqual([[], [], []]);
    }));

  it('goes from page to page and misses nothing, also while runs are added', () =>
    withStore(async (store) => {
      const runs = Array.from({ length: 25 }, (_, index) =>
        newRun({ started_at: noon + index, labels: { even: String(index % 2 === 0) } }),
      );
      for (const run of runs) await store.begin(run);
      for (const filter of [{}, { labels: { even: 'true' } }, { status: ['running' as const] }]) {
        const seen: string[] = [];
        for (let after: string | undefined; ;) {
          const page = await store.list(filter, { limit: 7, ...(after === undefined ? {} : { after }) });
          seen.push(...page.runs.map(({ id }) => id));
          await store.begin(newRun({ started_at: noon + 1000, labels: { even: 'true' } }));
          if (page.next === undefined) break;
          after = page.next;
        }
        const wanted = runs
          .filter(({ labels }) => !('labels' in filter) || labels['even'] === 'true')
          .map(({ id }) => id);
        expect(seen.filter((id) => wanted.includes(id))).toEqual(wanted.toReversed());
      }
    }));

  it('adds up by agent, model, day, status, class and label', () =>
    withStore(async (store) => {
      const day = 86_400_000;
      const runs = [
        { at: noon, label: 'x', outcome: outcomeWith() },
        {
          at: noon + 1,
          label: 'x',
          outcome: outcomeWith({
            status: 'error',
            verdict: { class: 'tool', exit_code: 3 },
            metrics: { cost: 1, cost_is: 'at_least' },
          }),
        },
        {
          at: noon + day,
          label: 'y',
          outcome: outcomeWith({
            metrics: { cost: 3, input_tokens: 50 },
            usage_by_model: [
              { model_name: 'big', input_tokens: 40, cost: 2 },
              { model_name: 'small', input_tokens: 10, cost: 1 },
            ],
          } as Partial<ReturnType<typeof outcomeWith>>),
        },
      ];
      for (const { at, label, outcome } of runs) {
        const run = newRun({ started_at: at, labels: { team: label } });
        await store.begin(run);
        await store.finish(run.id, { outcome, ended_at: at + 10 });
      }
      await store.begin(newRun({ started_at: noon + day + 1, agent: 'pi', model: 'big' }));
      const total = (await store.stats('all', {}))[0];
      expect(total).toEqual({
        runs: 4,
        running: 1,
        succeeded: 2,
        cost: 4.25,
        cost_known: 3,
        unpriced: 0,
        cost_at_least: 1,
        input_tokens: 250,
        output_tokens: 60,
        duration_ms: 7500,
        duration_known: 3,
        longest_ms: 2500,
        claims_known: 0,
        tool_calls: 3,
        first_started_at: noon,
        last_started_at: noon + day + 1,
      });
      const table = async (grouping: Parameters<RunStore['stats']>[0], filter: RunFilter = {}) =>
        (await store.stats(grouping, filter)).map(({ group, runs: number, cost }) => [group, number, cost]);
      expect(await table('day')).toEqual([
        ['2026-11-15', 2, 1.25],
        ['2026-11-16', 2, 3],
      ]);
      expect(await table('agent')).toEqual([
        ['claude', 3, 4.25],
        ['pi', 1, undefined],
      ]);
      expect(await table('model')).toEqual([
        ['anthropic/claude-x', 2, 1.25],
        ['big', 2, 2],
        ['small', 1, 1],
      ]);
      expect(await table('status')).toEqual([
        ['success', 2, 3.25],
        ['error', 1, 1],
        ['running', 1, undefined],
      ]);
      expect(await table({ label: 'team' })).toEqual(
        expect.arrayContaining([
          ['x', 2, 1.25],
          ['y', 1, 3],
          [undefined, 1, undefined],
        ]),
      );
      expect(await table('class', { labels: { team: 'x' } })).toEqual([
        ['success', 1, 0.25],
        ['tool', 1, 1],
      ]);
      expect(await table('all', { agent: ['nobody'] })).toEqual([]);
    }));

  it('adds up what was claimed and what of it is contradicted, by any group; what nobody looked at is not known', () =>
    withStore(async (store) => {
      const claim = (verdict: Claim['verdict']): Claim => ({
        quote: 'All tests pass.',
        start: 0,
        kind: 'tests_pass',
        verdict,
        evidence: [],
      });
      const verdicts: readonly (readonly [agent: string, verdicts: readonly Claim['verdict'][], omitted?: number])[] = [
        ['claude', ['contradicted', 'supported', 'not_shown']],
        ['claude', ['contradicted', 'contradicted'], 5],
        ['claude', []],
        ['pi', ['supported']],
        ['codex', []],
      ];
      for (const [index, [agent, each, omitted]] of verdicts.entries()) {
        const run = newRun({ started_at: noon + index, agent });
        await store.begin(run);
        const outcome = outcomeWith({ provenance: { agent } });
        if (each.length > 0) outcome.claims = each.map(claim);
        if (omitted !== undefined) outcome.omitted = { claims: omitted };
        await store.finish(run.id, { ...ending, outcome });
      }
      const table = async (grouping: Parameters<RunStore['stats']>[0]) =>
        (await store.stats(grouping, {})).map((row) => [
          row.group,
          row.claims_known,
          row.claims_checked,
          row.claims_contradicted,
        ]);
      expect(await table('agent')).toEqual([
        ['claude', 2, 10, 3],
        ['codex', 0, undefined, undefined],
        ['pi', 1, 1, 0],
      ]);
      for (const grouping of ['day', 'model', 'tool', 'status'] as const)
        expect((await table(grouping)).map(([, ...figures]) => figures)).toEqual([[3, 11, 3]]);
      const [pi] = (await store.list({ agent: ['pi'] }, { limit: 1 })).runs;
      expect(pi).toMatchObject({ claims_checked: 1, claims_contradicted: 0 });
      const [first] = (await store.list({ agent: ['claude'] }, { limit: 9 })).runs.slice(-1);
      const lost = [{ number: 1, status: 'error', class: 'incomplete', reason: 'killed' } as const];
      await store.begin(newRun({ id: first?.id ?? '', started_at: noon, agent: 'claude', lost }));
      expect((await table('agent'))[0]).toEqual(['claude', 1, 7, 2]);
    }));

  it('knows who ran what where, as filters and as groups', () =>
    withStore(async (store) => {
      const whos = [
        { user: 'ann', repo: 'acme/shop', cwd: '/a', host: 'one', session: 's-a' },
        { user: 'ann', repo: 'acme/api', cwd: '/b', host: 'two', session: 's-b' },
        { user: 'bob', repo: 'acme/shop', cwd: '/a', host: 'one', session: 's-b' },
      ];
      const ids: string[] = [];
      for (const [index, { session, host, ...place }] of whos.entries()) {
        const run = newRun({
          ...place,
          id: newRunId(noon + index),
          started_at: noon + index,
          owner: { ...thisProcess(), host },
        });
        ids.push(run.id);
        await store.begin(run);
        if (index < 2)
          await store.finish(run.id, { ...ending, outcome: outcomeWith({ session_id: session } as object) });
        else await store.note(run.id, { at: noon, session_id: session });
      }
      for (const field of ['user', 'repo', 'cwd', 'host', 'session'] as const) {
        const value = whos[2]?.[field] ?? '';
        const wanted = ids.filter((_, index) => whos[index]?.[field] === value).toReversed();
        expect(await idsOf(store, { [field]: [value, 'nobody'] })).toEqual(wanted);
        expect((await store.stats(field, {})).find(({ group }) => group === value)?.runs).toBe(wanted.length);
      }
      expect(await store.get(ids[0] ?? '')).toMatchObject({ user: 'ann', repo: 'acme/shop', host: 'one' });
      const two = await store.stats(['user', 'repo'], {});
      expect(two.map(({ group, subgroup, runs }) => [group, subgroup, runs])).toEqual([
        ['ann', 'acme/api', 1],
        ['ann', 'acme/shop', 1],
        ['bob', 'acme/shop', 1],
      ]);
    }));

  it('adds up by week, month, tool and time zone, with percentiles, and does not count what never started', () =>
    withStore(async (store) => {
      const at = (text: string): number => Date.parse(text);
      const times = ['2026-03-28T23:30:00Z', '2026-03-29T22:30:00Z', '2026-12-31T23:30:00Z', '2027-01-01T12:00:00Z'];
      const calls = [
        { name: 'bash', status: 'completed', duration_ms: 10, inputs: {}, outputs: '' },
        { name: 'bash', status: 'error', duration_ms: 30, inputs: {}, outputs: '' },
        { name: 'read', status: 'completed', inputs: {}, outputs: '' },
      ] as const;
      for (const [index, time] of times.entries()) {
        const run = newRun({ started_at: at(time), agent: index === 0 ? 'builtin' : 'runwire' });
        await store.begin(run);
        const { cost: _cost, ...metrics } = { ...outcomeWith().metrics, duration_ms: (index + 1) * 100 };
        const provenance = { ...outcomeWith().provenance, agent: 'runwire' };
        if (index > 0)
          await store.finish(run.id, {
            ...ending,
            outcome: {
              ...outcomeWith(),
              provenance,
              tool_calls: [...calls],
              metrics: index === 3 ? { ...metrics, cost_source: 'unknown' } : { ...metrics, cost: 1 },
            },
          });
      }
      const typo = newRun({ started_at: at(times[0] ?? '') });
      await store.begin(typo);
      const { input_tokens: _input, ...unasked } = outcomeWith().metrics;
      const failed = outcomeWith({ status: 'error', verdict: { class: 'config', exit_code: 1 } } as object);
      await store.finish(typo.id, { ...ending, outcome: { ...failed, metrics: { ...unasked, turns: 0 } } });
      const table = async (...args: Parameters<RunStore['stats']>) =>
        (await store.stats(...args)).map(({ group, runs }) => [group, runs]);
      expect(await table('week', {})).toEqual([
        ['2026-W13', 2],
        ['2026-W53', 2],
      ]);
      expect(await table('month', {})).toEqual([
        ['2026-03', 2],
        ['2026-12', 1],
        ['2027-01', 1],
      ]);
      const zurich = { timeZone: 'Europe/Zurich' };
      // Summer time began in the night between the first two.
      expect(await table('day', {}, zurich)).toEqual([
        ['2026-03-29', 1],
        ['2026-03-30', 1],
        ['2027-01-01', 2],
      ]);
      expect(await table('month', {}, zurich)).toEqual([
        ['2026-03', 2],
        ['2027-01', 2],
      ]);
      expect(await table('month', {}, { timeZone: 'America/St_Johns' })).toEqual([
        ['2026-03', 2],
        ['2026-12', 1],
        ['2027-01', 1],
      ]);
      expect(await table('agent', {})).toEqual([['runwire', 4]]);
      expect((await idsOf(store, { agent: ['builtin'] })).length).toBe(4);
      expect(
        (await store.stats('tool', {})).map(({ group, runs, tool_calls, duration_ms, cost }) => [
          group,
          runs,
          tool_calls,
          duration_ms,
          cost,
        ]),
      ).toEqual([
        ['bash', 3, 6, 120, undefined],
        ['read', 3, 3, undefined, undefined],
      ]);
      const [all] = await store.stats('all', {}, { percentiles: true });
      expect(all).toMatchObject({
        runs: 4,
        cost: 2,
        cost_known: 2,
        unpriced: 1,
        duration_p50: 300,
        duration_p90: 400,
        duration_p99: 400,
        cost_p50: 1,
      });
      await expect(store.stats('day', {}, { timeZone: 'Mars/Base' })).rejects.toThrow(/unknown time zone: Mars\/Base/);
    }));

  it('takes away what is named, but nothing that goes on', () =>
    withStore(async (store) => {
      const old = newRun({ started_at: noon - 10, labels: { team: 'x' }, tape: 'a.tape.zst' });
      const young = newRun({ labels: { team: 'x' } });
      const open = newRun({ started_at: noon - 9 });
      for (const run of [old, young, open]) await store.begin(run);
      await store.finish(old.id, ending);
      await store.finish(young.id, ending);
      expect(await store.prune({ started_to: noon, labels: {} })).toEqual({ runs: 1, tapes: ['a.tape.zst'] });
      expect(await idsOf(store, {})).toEqual([young.id, open.id]);
      expect(await idsOf(store, { text: 'parser' })).toEqual([young.id]);
      expect(await idsOf(store, { labels: { team: 'x' } })).toEqual([young.id]);
      expect(await store.get(old.id)).toBeUndefined();
    }));

  it('finds the runs that changed a file, by its path or the end of it', () =>
    withStore(async (store) => {
      const changing = (...paths: string[]) => ({
        ...ending,
        outcome: outcomeWith({
          artifacts: paths.map((path) => ({ path, operation: 'modified' as const, type: 'file' as const })),
        }),
      });
      const [one, two] = [newRun({ started_at: noon }), newRun({ started_at: noon + 1 })];
      for (const run of [one, two]) await store.begin(run);
      await store.finish(one.id, changing('/home/me/src/a_b.ts', 'src/100%.ts', "it's\0.ts"));
      await store.finish(two.id, changing('src/aXb.ts', 'src/a_b.ts', 'src/a_b.ts'));
      expect(await idsOf(store, { file: ['src/a_b.ts'] })).toEqual([two.id, one.id]);
      expect(await idsOf(store, { file: ['me/src/a_b.ts'] })).toEqual([one.id]);
      expect(await idsOf(store, { file: ['100%.ts'] })).toEqual([one.id]);
      expect(await idsOf(store, { file: ['aXb.ts', '/home/me/src/a_b.ts'] })).toEqual([two.id, one.id]);
      for (const path of ['b.ts', 'rc/a_b.ts', '%', '', 'src', 'src%.ts', '\\'])
        expect([path, await idsOf(store, { file: [path] })]).toEqual([path, []]);
      expect((await store.stats('all', { file: ['aXb.ts'] }))[0]?.runs).toBe(1);
      // Whoever ends it again says what it changed.
      await store.finish(two.id, changing('other.ts'));
      expect(await idsOf(store, { file: ['a_b.ts'] })).toEqual([one.id]);
      await store.remove(one.id);
      expect(await idsOf(store, { file: ['a_b.ts'] })).toEqual([]);
    }));

  it('keeps the place of a run in its tree, and finds what is below a run', () =>
    withStore(async (store) => {
      const [top, child, grandchild, other] = [0, 1, 2, 3].map((minute) => newRunId(noon + minute)) as [
        string,
        string,
        string,
        string,
      ];
      const place = { parent_run_id: top, root_run_id: top };
      await store.begin(newRun({ id: top }));
      await store.begin(newRun({ id: child, labels: { team: 'x' }, ...place }));
      await store.put({
        ...ending,
        id: grandchild,
        key: '1',
        started_at: noon + 2,
        labels: {},
        parent_run_id: child,
        root_run_id: top,
      });
      // A parent without a root, a root without a parent.
      await store.put({ ...ending, id: other, key: '2', started_at: noon + 3, labels: {}, parent_run_id: 'elsewhere' });
      await store.begin(newRun({ id: 'alone', root_run_id: top }));
      const placeOf = ({ parent_run_id, root_run_id }: Partial<RunRecord>) => [parent_run_id, root_run_id];
      const found = await Promise.all([top, child, grandchild, other, 'alone'].map((id) => store.get(id)));
      expect(found.map((run) => placeOf(run ?? {}))).toEqual([
        [undefined, undefined],
        [top, top],
        [child, top],
        ['elsewhere', 'elsewhere'],
        [undefined, undefined],
      ]);
      expect((await exported(store)).map(({ id, parent_run_id }) => [id, parent_run_id])).toContainEqual([
        grandchild,
        child,
      ]);
      expect(await idsOf(store, { parent: [top, 'elsewhere'] })).toEqual([other, child]);
      expect(await idsOf(store, { root: [top] })).toEqual([grandchild, child]);
      expect(await idsOf(store, { top: true })).toEqual(['alone', other, top]);
      const below = await store.below([top, 'elsewhere', 'nothing']);
      expect(below).toEqual((await store.list({ root: [top, 'elsewhere'] }, { limit: 9 })).runs.toReversed());
      expect(await store.usageBelow([top])).toEqual([
        { id: child, ...place, status: 'running' },
        {
          id: grandchild,
          parent_run_id: child,
          root_run_id: top,
          status: 'success',
          cost: 0.25,
          input_tokens: 100,
          output_tokens: 20,
        },
      ]);
      expect([await store.below([]), await store.usageBelow([])]).toEqual([[], []]);
    }));

  it('shows the first labels of a run to which an older version gave any number', () =>
    withStore(async (store, place) => {
      const run = newRun({ labels: { team: 'x' } });
      await store.begin(run);
      const prefix = kind === 'sqlite' ? '' : `${new URL(place).searchParams.get('schema')}.`;
      await change(
        place,
        `insert into ${prefix}labels (key, value, run) with recursive n (i) as (select 1 union all select i + 1 from n where i < 20000)
          select 'key' || (100000 + i), 'x', '${run.id}' from n`,
      );
      const expected = Array.from({ length: 200 }, (_, index) => `key${100_001 + index}`);
      const [listed] = (await store.list({}, { limit: 9 })).runs;
      expect(Object.keys(listed?.labels ?? {})).toEqual(expected);
      expect(Object.keys((await store.get(run.id))?.labels ?? {})).toEqual(expected);
      expect(await idsOf(store, { labels: { key120000: 'x', team: 'x' } })).toEqual([run.id]);
    }));

  it('keeps the totals of its runs, whatever happens to them', () =>
    withStore(async (store) => {
      const costing = (cost: number, changes: Parameters<typeof outcomeWith>[0] = {}) =>
        outcomeWith({ ...changes, metrics: { cost, input_tokens: 100, output_tokens: 10, cache_read_tokens: 5 } });
      const of = (runs: number, cost: number) => ({
        runs,
        running: 0,
        input_tokens: 100 * runs,
        output_tokens: 10 * runs,
        cache_read_tokens: 5 * runs,
        cost,
        cost_known: runs,
      });
      const idle = { ...of(0, 0), runs: 1, running: 1 };
      const failed = { status: 'error', verdict: { class: 'tool', exit_code: 3 } } as const;
      expect(await store.totals()).toEqual([]);
      const [first, second, third] = [newRun(), newRun(), newRun()];
      for (const run of [first, second, third]) await store.begin(run);
      expect(await store.totals()).toEqual([{ ...idle, runs: 3, running: 3 }]);
      await store.note(first.id, { at: noon + 1, input_tokens: 7, cost: 0.25 });
      expect(await store.totals()).toEqual([
        { ...idle, runs: 3, running: 3, input_tokens: 7, cost: 0.25, cost_known: 1 },
      ]);
      // Sums of these are not what they should be where numbers have no end in binary.
      await store.finish(first.id, { ...ending, outcome: costing(0.1) });
      await store.finish(second.id, { ...ending, outcome: costing(0.2) });
      await store.finish(third.id, { ...ending, outcome: costing(0.4, failed) });
      const imported = {
        ...ending,
        outcome: costing(0.3),
        id: newRunId(noon),
        key: 'one',
        started_at: noon,
        labels: {},
      };
      expect([await store.put(imported), await store.put(imported)]).toEqual(['added', 'same']);
      expect(await store.totals()).toEqual([
        { class: 'success', ...of(3, 0.6) },
        { class: 'tool', ...of(1, 0.4) },
      ]);
      await store.addLabels(first.id, { team: 'web' });
      await store.finish(first.id, { ...ending, outcome: costing(0.5, failed) });
      await store.begin({ ...second, lost: [] });
      expect(await store.totals()).toEqual([
        idle,
        { class: 'success', ...of(1, 0.3) },
        { class: 'tool', ...of(2, 0.9) },
      ]);
      const absurd = newRun();
      await store.begin(absurd);
      await store.finish(absurd.id, { ...ending, outcome: costing(1e308) });
      await store.remove(absurd.id);
      const typo = newRun();
      await store.begin(typo);
      const { input_tokens: _input, ...unasked } = outcomeWith().metrics;
      const refused = outcomeWith({ status: 'error', verdict: { class: 'input', exit_code: 2 } });
      await store.finish(typo.id, { ...ending, outcome: { ...refused, metrics: { ...unasked, turns: 0 } } });
      await store.prune({ class: ['tool'] });
      expect(await store.totals()).toEqual([idle, { class: 'success', ...of(1, 0.3) }]);
      await store.remove(second.id);
      await store.remove(imported.id);
      expect(await store.totals()).toEqual([]);
    }));

  it('says so when its totals are not those of its runs', () =>
    withStore(async (store, place) => {
      const prefix = kind === 'sqlite' ? '' : `${new URL(place).searchParams.get('schema')}.`;
      const run = newRun();
      await store.begin(run);
      await store.finish(run.id, ending);
      await change(place, `update ${prefix}totals set runs = 7 where class = 'success'`);
      expect(await store.verify()).toEqual([
        { where: 'totals', what: 'the kept totals of the class "success" are not those of its runs' },
      ]);
      await change(place, `update ${prefix}totals set runs = 1 where class = 'success'`);
    }));

  it('adds up what many write at once', () =>
    withStore(async (store, place) => {
      const others = await Promise.all([openers[kind](place), openers[kind](place)]);
      const runs = Array.from({ length: 30 }, () => newRun());
      await Promise.all(
        runs.map(async (run, index) => {
          const writer = others[index % 2] ?? store;
          await writer.begin(run);
          await writer.finish(run.id, ending);
        }),
      );
      expect((await store.totals())?.map(({ class: name, runs: added }) => [name, added])).toEqual([['success', 30]]);
      await Promise.all(others.map((other) => other.close()));
    }));

  it('takes any number of runs at once', () =>
    withStore(async (store) => {
      const ids = Array.from({ length: 70_000 }, (_, index) => `top-${index}`);
      await store.begin(newRun({ parent_run_id: 'top-69999', root_run_id: 'top-69999', labels: { team: 'x' } }));
      await store.begin(newRun({ parent_run_id: 'top-3', root_run_id: 'top-3', started_at: noon - 1 }));
      expect((await store.below(ids)).map(({ root_run_id, labels }) => [root_run_id, labels])).toEqual([
        ['top-3', {}],
        ['top-69999', { team: 'x' }],
      ]);
    }));

  it('brings a ledger of the first version up to date, and leaves its runs as they are', async () => {
    const place = places[kind]();
    await makeFirstVersion(place);
    const store = await openers[kind](place);
    expect((await store.list({ top: true }, { limit: 9 })).runs).toMatchObject([
      { id: 'old', title: 'Before', status: 'running' },
    ]);
    const run = newRun({ parent_run_id: 'old', root_run_id: 'old' });
    await store.begin(run);
    expect((await store.below(['old'])).map(({ id }) => id)).toEqual([run.id]);
    expect((await store.get('old'))?.parent_run_id).toBeUndefined();
    expect(await store.totals()).toMatchObject([{ runs: 2, running: 2 }]);
    const [all] = await store.stats('all', {});
    expect([all?.claims_known, all?.claims_checked, all?.claims_contradicted]).toEqual([0, undefined, undefined]);
    await store.close();
  });

  it('opens again what it left', () =>
    withStore(async (store, place) => {
      const run = newRun();
      await store.begin(run);
      const again = await openers[kind](place);
      expect(await idsOf(again, {})).toEqual([run.id]);
      await again.close();
    }));

  it('records beside a newer version that added to the tables, and refuses what it cannot write to', () =>
    withStore(async (_store, place) => {
      const prefix = kind === 'sqlite' ? '' : `${new URL(place).searchParams.get('schema')}.`;
      const newer = kind === 'sqlite' ? 'pragma user_version = 99' : `update ${prefix}ledger set version = 99`;
      await change(
        place,
        `${newer}; alter table ${prefix}runs add column colour text; create table ${prefix}more (x text)`,
      );
      const beside = await openers[kind](place);
      const run = newRun();
      await beside.begin(run);
      await beside.finish(run.id, ending);
      expect(await idsOf(beside, { status: ['success'] })).toEqual([run.id]);
      await beside.close();
      await change(place, `alter table ${prefix}tools rename column failed to lost`);
      await expect(openers[kind](place)).rejects.toThrow(
        /written by a newer Runwire \(version 99, this one knows \d+\)/,
      );
      await change(place, `alter table ${prefix}tools rename column lost to failed`);
    }));

  it('gives back what was finished, whatever it is', () =>
    withStore(async (store) => {
      await fc.assert(
        fc.asyncProperty(someOutcome, someLabels, async (outcome, labels) => {
          const run = newRun({ labels, prompt: '' });
          await store.begin(run);
          await store.finish(run.id, { outcome, ended_at: noon });
          const found = await store.get(run.id);
          expect(found?.outcome).toEqual(ledgerOutcome(outcome));
          expect(found?.labels).toEqual(labels);
        }),
        { numRuns: fuzzRuns(isSweep ? 60 : 20), seed: fuzzSeed },
      );
    }));
});

it('filters alike in SQLite, in PostgreSQL and in a plain list', async () => {
  const stores = [await openSqlite(places.sqlite()), await openPostgres(places.postgres())];
  try {
    const started = fc.integer({ min: noon, max: noon + 20 });
    const runs = fc.sample(fc.tuple(someOutcome, someLabels, started, fc.boolean(), somePlace), {
      numRuns: 150,
      seed: fuzzSeed,
    });
    for (const id of ['0-top-1', '0-top-2'])
      for (const store of stores) await store.begin(newRun({ id, started_at: 0 }));
    for (const [outcome, labels, started_at, ended, place] of runs) {
      const run = newRun({ started_at, labels, prompt: outcome.metadata.initial_prompt, agent: 'codex', ...place });
      for (const store of stores) {
        await store.begin(run);
        if (ended) await store.finish(run.id, { outcome, ended_at: started_at });
      }
    }
    const [all = [], same = []] = await Promise.all(stores.map(exported));
    expect(all).toEqual(same);
    expect(all).toHaveLength(runs.length + 2);
    let found = 0;
    await fc.assert(
      fc.asyncProperty(someFilter, async (filter) => {
        const wanted = all.filter((run) => matches(run, filter)).map(({ id }) => id);
        found += wanted.length;
        for (const store of stores) {
          expect(await idsOf(store, filter)).toEqual(wanted);
          expect(await store.count(filter)).toBe(wanted.length);
        }
        const [one, other] = await Promise.all(stores.map((store) => store.stats({ label: 'team' }, filter)));
        expect(one?.map(({ group, runs: number }) => [group, number])).toEqual(
          other?.map(({ group, runs: number }) => [group, number]),
        );
      }),
      { numRuns: fuzzRuns(isSweep ? 300 : 60), seed: fuzzSeed },
    );
    expect(found).toBeGreaterThan(runs.length);
  } finally {
    for (const store of stores) await store.close();
  }
});

describe('a server of a team', () => {
  it('refuses a schema with tables of somebody else, and leaves them as they are', async () => {
    for (const [name, theirs] of Object.entries({
      bank: 'ledger (version integer not null, amount integer)',
      shop: 'orders (id integer)',
      lone: 'ledger (version integer)',
    })) {
      const schema = server.newName(name);
      const place = server.url(schema);
      await change(place, `create schema ${schema}; create table ${schema}.${theirs}`);
      if (name !== 'shop') await change(place, `insert into ${schema}.ledger (version) values (1), (2)`);
      await expect(openPostgres(place)).rejects.toThrow(
        new RegExp(`the schema ${schema} of .* has tables of another program`),
      );
      if (name !== 'shop')
        expect(await change(place, `select version from ${schema}.ledger`)).toEqual([{ version: 1 }, { version: 2 }]);
      expect(
        await change(place, `select count(*)::int as tables from pg_tables where schemaname = '${schema}'`),
      ).toEqual([{ tables: 1 }]);
    }
  });

  it.each([
    ['may not delete', 'select, insert, update'],
    ['may only add', 'select, insert'],
  ])('takes the whole run of a role that %s', async (name, rights) => {
    const schema = server.newName(name.replaceAll(' ', '_'));
    const place = server.url(schema);
    const owner = await openPostgres(place);
    await change(
      place,
      `create role ${schema} login password 'x'; grant usage on schema ${schema} to ${schema}; grant ${rights} on all tables in schema ${schema} to ${schema}`,
    );
    const own = new URL(place);
    own.username = schema;
    own.password = 'x';
    const store = await openPostgres(own.href);
    const run = newRun({ labels: { team: 'x' }, cwd: '/project', agent: 'program' });
    await store.begin(run);
    await store.note(run.id, { at: noon, session_id: 's-1' });
    const models = [{ model_name: 'big', cost: 1 }] as const;
    await store.finish(run.id, { ...ending, outcome: { ...outcomeWith(), usage_by_model: [...models] } });
    await store.addLabels(run.id, { more: 'y' });
    if (rights.includes('update'))
      await store.finish(run.id, {
        ...ending,
        outcome: { ...outcomeWith(), usage_by_model: [{ model_name: 'big', cost: 2 }] },
      });
    expect(await owner.get(run.id)).toMatchObject({
      status: 'success',
      agent: outcomeWith().provenance.agent,
      cwd: '/project',
      labels: { team: 'x', more: 'y' },
      owner: run.owner,
    });
    expect((await owner.stats('model', {})).map(({ group, cost }) => [group, cost])).toEqual([
      ['big', rights.includes('update') ? 2 : 1],
    ]);
    expect(await idsOf(owner, { text: 'parser fixed' })).toEqual([run.id]);
    expect(await closeInterrupted(store, new FileTapes(folder), Date.now())).toEqual([]);
    await store.close();
    await owner.close();
  });

  it('lets a role that may only read look, and says why it cannot write', async () => {
    const reading = server.newName('reading');
    const place = server.url(reading);
    const owner = await openPostgres(place);
    const run = newRun({ owner: { ...thisProcess(), pid: 4_190_000 } });
    await owner.begin(run);
    await change(
      place,
      `create role ${reading} login password 'x'; grant usage on schema ${reading} to ${reading}; grant select on all tables in schema ${reading} to ${reading}`,
    );
    const own = new URL(place);
    own.username = reading;
    own.password = 'x';
    const store = await openPostgres(own.href);
    expect(await idsOf(store, {})).toEqual([run.id]);
    expect(await closeInterrupted(store, new FileTapes(folder), Date.now())).toEqual([]);
    const put = store.put({ ...ending, id: newRunId(noon), key: '1', started_at: noon, labels: {} });
    await expect(put).rejects.toThrow(/permission denied/);
    await store.close();
    await owner.close();
  });

  it('records with a new version that its role does not let upgrade, where the tables have all that is written', async () => {
    const upgrading = server.newName('upgrading');
    const place = server.url(upgrading);
    await (await openPostgres(place)).close();
    await change(
      place,
      `drop statistics ${upgrading}.runs_days; update ${upgrading}.ledger set version = ${postgresMigrations.length - 1};
        create role ${upgrading} login password 'x'; grant usage on schema ${upgrading} to ${upgrading}; grant select, insert, update on all tables in schema ${upgrading} to ${upgrading}`,
    );
    const own = new URL(place);
    own.username = upgrading;
    own.password = 'x';
    const store = await openPostgres(own.href);
    const run = newRun();
    await store.begin(run);
    await store.finish(run.id, ending);
    expect(await idsOf(store, {})).toEqual([run.id]);
    await store.close();
    await change(place, `alter table ${upgrading}.tools rename to utensils`);
    await expect(openPostgres(own.href)).rejects.toThrow(/a role that owns its tables has to upgrade them first/);
  });

  it('is the first of several that answers and can be written to, and the next one when it goes away', async () => {
    const other = await startPostgres();
    const schema = server.newName('several');
    const [here, there] = [new URL(server.url(schema)), new URL(other.url(schema))];
    await change(there.href, `create database ${here.pathname.slice(1)}`);
    there.pathname = here.pathname;
    const run = newRun();
    for (const place of [here, there]) {
      const store = await openPostgres(place.href);
      if (place === here) await store.begin(run);
      await store.close();
    }
    const hosts = (...named: readonly string[]): string => here.href.replace(here.host, named.join(','));
    await change(there.href, 'alter role all set default_transaction_read_only = on');
    const writing = await openPostgres(
      `${hosts('127.0.0.1:1', there.host, here.host)}&target_session_attrs=read-write`,
    );
    await writing.finish(run.id, ending);
    expect(await idsOf(writing, {})).toEqual([run.id]);
    await writing.close();
    await expect(
      openPostgres(`${hosts('127.0.0.1:1', there.host)}&target_session_attrs=primary`).then((store) => store.close()),
    ).resolves.toBeUndefined();
    await expect(openPostgres(`${hosts('127.0.0.1:1', there.host)}&target_session_attrs=read-write`)).rejects.toThrow(
      /ECONNREFUSED.*is not what target_session_attrs asks for/,
    );
    const any = await openPostgres(hosts(there.host, here.host));
    expect(await idsOf(any, {})).toEqual([]);
    await other.stop();
    expect(await idsOf(any, {}).catch(() => idsOf(any, {}))).toEqual([run.id]);
    await any.close();
    await other.remove();
  });

  it('lets the planner know how many days, weeks and months there are', async () => {
    const planned = server.newName('planned');
    const place = server.url(planned);
    const store = await openPostgres(place);
    await change(
      place,
      `insert into ${planned}.runs (id, status, started_at, heartbeat_at)
        select 'r' || g, 'success', g * 1000000::bigint, 0 from generate_series(1, 5000) g; analyze ${planned}.runs`,
    );
    const database = { kind: 'postgres', prefix: `${planned}.` } as Database;
    for (const grouping of ['day', 'week', 'month'] as const) {
      const { sql } = statsSql(database, { groupings: [grouping], filter: {}, inParts: false, offsets: [] });
      const rows = await change(place, `explain (format json) ${sql.replace('having count(*) > 0', '')}`);
      const { length } = await store.stats(grouping, {});
      expect(rows).toMatchObject([{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': length } }] }]);
    }
    await store.close();
  });

  it('has no connection for each of fifty runs', async () => {
    const place = server.url(server.newName('many'));
    const stores = await Promise.all(Array.from({ length: 50 }, () => openPostgres(place)));
    const runs = stores.map((_, index) => newRun({ id: `many-${index}` }));
    await Promise.all(stores.map((store, index) => store.begin(runs[index] ?? newRun())));
    const connections =
      "select count(*)::int as n from pg_stat_activity where application_name = 'runwire' and datname = current_database()";
    const [busy] = await change(place, connections);
    expect(busy?.['n']).toBeLessThan(10);
    // Nothing is held between two signs of life.
    for (let left = 100; left > 0 && (await change(place, connections))[0]?.['n'] !== 0; left -= 1) await sleep(50);
    expect(await change(place, connections)).toEqual([{ n: 0 }]);
    await Promise.all(stores.map((store) => store.close()));
  });
});

it('lets nobody else read a ledger and its folder', async () => {
  const path = join(folder, 'deep', 'er', 'ledger.db');
  const store = await openSqlite(path);
  await store.begin(newRun());
  const rights = [join(folder, 'deep'), join(folder, 'deep', 'er'), path, `${path}-wal`].map(
    (each) => statSync(each).mode & 0o777,
  );
  await store.close();
  expect(rights).toEqual([0o700, 0o700, 0o600, 0o600]);
});

async function makeFirstVersion(place: string): Promise<void> {
  const run = "(id, status, started_at, heartbeat_at) values ('old', 'running', 5, 5)";
  const document = "(seq, prompt, owner) values (1, 'Before', '{}')";
  if (!place.startsWith('postgres:')) {
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(place);
    database.exec(`${sqliteMigrations[0]}; pragma application_id = ${0x52756e57}; pragma user_version = 1`);
    database.exec(`insert into runs ${run}; insert into documents ${document}`);
    return database.close();
  }
  const { default: pg } = await import('pg');
  const schema = new URL(place).searchParams.get('schema') ?? '';
  const client = new pg.Client({ connectionString: place });
  await client.connect();
  await client.query(`create schema ${schema}; create table ${schema}.ledger (version integer not null)`);
  await client.query(`${postgresMigrations[0]?.(`${schema}.`)}; insert into ${schema}.ledger values (1)`);
  await client.query(`insert into ${schema}.runs ${run}; insert into ${schema}.documents ${document}`);
  await client.end();
}
