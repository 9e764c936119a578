import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunStore } from '../../src/stores/run-store.ts';
import { openPostgres } from '../../src/stores/postgres.ts';
import { openSqlite } from '../../src/stores/sqlite.ts';
import { type Period, periodOf, zoneNamed } from '../../src/time/zone.ts';
import { newRun, outcomeWith } from './support/runs.ts';
import { change } from './support/change.ts';
import type { PostgresDatabase } from './support/postgres.ts';
import { sharedPostgres } from './support/shared-postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'runwire-parts-'));
let server: PostgresDatabase;
let count = 0;
beforeAll(async () => {
  server = await sharedPostgres();
});
afterAll(async () => {
  await server.remove();
  rmSync(folder, { recursive: true, force: true });
});

const places = {
  sqlite: () => join(folder, `${(count += 1)}.db`),
  postgres: () => server.url(server.newName('parts')),
};
const openers = { sqlite: openSqlite, postgres: openPostgres };

const hour = 3_600_000;
interface Session {
  started_at: number;
  parts: { at: number; input_tokens: number; cost: number }[];
}

/** Keeps a session, and returns the id of its run. `isOld`: from before it was kept when a run used what. */
async function keep(store: RunStore, { started_at, parts }: Session, isOld = false): Promise<string> {
  const run = newRun({ started_at });
  const sum = (name: 'input_tokens' | 'cost'): number => parts.reduce((whole, each) => whole + each[name], 0);
  const outcome = outcomeWith({ metrics: { input_tokens: sum('input_tokens'), cost: sum('cost') } });
  await store.begin(run);
  await store.finish(run.id, {
    outcome: isOld ? outcome : { ...outcome, usage_over_time: parts },
    ended_at: Math.max(started_at, ...parts.map(({ at }) => at)) + 60_000,
    last_sequence: 1,
  });
  return run.id;
}

async function rowsIn(place: string, table: string): Promise<number> {
  if (place.startsWith('postgres:')) return (await change(place, `select run from ${table}`)).length;
  const database = new DatabaseSync(place);
  const rows = database.prepare(`select run from ${table}`).all();
  database.close();
  return rows.length;
}

describe.each(['sqlite', 'postgres'] as const)('%s', (kind) => {
  it('counts what was used on the day on which it was used, and the run on the day on which it began', async () => {
    const store = await openers[kind](places[kind]());
    const started_at = Date.parse('2026-10-24T21:00:00Z');
    const parts = [0, 1.5, 3.5, 4.5].map((hours) => ({ at: started_at + hours * hour, input_tokens: 10, cost: 0.25 }));
    await keep(store, { started_at, parts });
    await keep(store, { started_at, parts }, true);
    const table = async (by: 'hour' | 'day' | 'agent', timeZone?: string): Promise<unknown> =>
      (await store.stats(by, {}, timeZone === undefined ? {} : { timeZone })).map((row) => [
        row.group,
        row.runs,
        row.input_tokens,
        row.cost,
        row.tool_calls,
      ]);
    expect(await table('day')).toEqual([
      ['2026-10-24', 2, 60, 1.5, 2],
      ['2026-10-25', 0, 20, 0.5, 0],
    ]);
    // Clocks are put back at one o'clock UTC: two o'clock comes twice.
    expect(await table('hour', 'Europe/Zurich')).toEqual([
      ['2026-10-24T23:00+02:00', 2, 50, 1.25, 2],
      ['2026-10-25T00:00+02:00', 0, 10, 0.25, 0],
      ['2026-10-25T02:00+02:00', 0, 10, 0.25, 0],
      ['2026-10-25T02:00+01:00', 0, 10, 0.25, 0],
    ]);
    expect(await table('day', 'Asia/Kolkata')).toEqual([['2026-10-25', 2, 80, 2, 2]]);
    expect(await table('agent')).toEqual([['claude', 2, 80, 2, 2]]);
    const byModel = await store.stats(['day', 'model'], {});
    expect(byModel.map((row) => [row.group, row.subgroup, row.runs, row.input_tokens])).toEqual([
      ['2026-10-24', 'anthropic/claude-x', 2, 60],
      ['2026-10-25', 'anthropic/claude-x', 0, 20],
    ]);
    await store.close();
  });

  it('adds up to the total in every time zone', async () => {
    const store = await openers[kind](places[kind]());
    const first = Date.parse('2026-03-01T00:00:00Z');
    const quarter = fc.integer({ min: 0, max: 4 * 24 * 40 });
    const session = fc.record({
      start: fc.integer({ min: 0, max: 270 * 24 * hour }),
      parts: fc.uniqueArray(fc.tuple(quarter, fc.integer({ min: 0, max: 1000 })), {
        selector: ([at]) => at,
        minLength: 1,
        maxLength: 20,
      }),
    });
    const sessions = fc.sample(session, { numRuns: 40, seed: 1 }).map(({ start, parts }): Session => {
      const started_at = first + start;
      const begins = started_at - (started_at % (hour / 4));
      return {
        started_at,
        parts: parts.map(([at, input_tokens]) => ({
          at: begins + (at * hour) / 4,
          input_tokens,
          cost: input_tokens / 1024,
        })),
      };
    });
    for (const each of sessions) await keep(store, each);
    const all = sessions.flatMap(({ parts }) => parts);
    for (const timeZone of [
      'UTC',
      'Europe/Zurich',
      'America/New_York',
      'Australia/Lord_Howe',
      'Asia/Kathmandu',
      'Pacific/Kiritimati',
      'Etc/GMT+12',
      'Etc/GMT-14',
    ])
      for (const by of ['hour', 'day', 'month'] as const) {
        const rows = await store.stats(by, {}, { timeZone });
        const zone = zoneNamed(timeZone);
        const expected = new Map<string, number>();
        for (const { at, input_tokens } of all) {
          const name = periodOf(zone, at, by satisfies Period);
          expected.set(name, (expected.get(name) ?? 0) + input_tokens);
        }
        const found = rows
          .filter((row) => row.input_tokens !== undefined)
          .map((row): [string, number] => [row.group ?? '', row.input_tokens ?? 0]);
        expect(Object.fromEntries(found), `${timeZone} by ${by}`).toEqual(Object.fromEntries(expected));
        expect(rows.reduce((sum, { runs }) => sum + runs, 0)).toBe(sessions.length);
        expect(rows.reduce((sum, { cost = 0 }) => sum + cost, 0)).toBe(all.reduce((sum, { cost }) => sum + cost, 0));
      }
    await store.close();
  });

  it('notices a change, and forgets them with their run', async () => {
    const place = places[kind]();
    const store = await openers[kind](place);
    const started_at = Date.parse('2026-10-24T21:00:00Z');
    const id = await keep(store, { started_at, parts: [{ at: started_at + hour, input_tokens: 5, cost: 1 }] });
    expect(await store.verify()).toEqual([]);
    const table =
      kind === 'sqlite' ? 'usage_series' : `${new URL(place).searchParams.get('schema') ?? 'runwire'}.usage_series`;
    const kept = (await store.get(id))?.outcome?.usage_over_time;
    expect(kept).toEqual([{ at: started_at + hour, input_tokens: 5, cost: 1 }]);
    await change(place, `update ${table} set parts = ${kind === 'sqlite' ? "x'01010109'" : "'\\x01010109'"}`);
    expect((await store.verify()).map(({ where, what }) => [where, /"usage_series" were changed/.test(what)])).toEqual([
      [id, true],
    ]);
    expect(await rowsIn(place, table)).toBe(1);
    await store.remove(id);
    expect(await rowsIn(place, table)).toBe(0);
    await store.close();
  });
});
