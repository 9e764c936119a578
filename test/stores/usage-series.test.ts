import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importRuns, runsAt } from '../../src/ledger/import.ts';
import type { RunStore } from '../../src/stores/run-store.ts';
import { openPostgres } from '../../src/stores/postgres.ts';
import { openSqlite } from '../../src/stores/sqlite.ts';
import { isInJson, packSeries, unpackSeries, type UsagePart } from '../../src/stores/usage-series.ts';
import { folder } from '../cli/run/scripted.ts';
import { isSweep, some } from '../support/sweep.ts';
import { homeWith } from '../usage/stores.ts';
import { change } from './support/change.ts';
import type { PostgresDatabase } from './support/postgres.ts';
import { sharedPostgres } from './support/shared-postgres.ts';

const quarterMs = 900_000;
const noon = Date.parse('2026-11-02T12:00:00Z');
let server: PostgresDatabase;
if (isSweep) {
  beforeAll(async () => {
    server = await sharedPostgres();
  });
  afterAll(() => server.remove());
}

describe('a series', () => {
  const count = fc.oneof(fc.nat({ max: 300 }), fc.nat(), fc.maxSafeNat(), fc.double({ min: 0, noNaN: true }));
  const part = fc.record(
    {
      at: fc.oneof(
        fc.integer({ min: -200, max: 2_000_000 }).map((quarters) => quarters * quarterMs),
        fc.integer({ min: -1e15, max: 1e15 }),
      ),
      input_tokens: count,
      output_tokens: count,
      reasoning_tokens: count,
      cache_read_tokens: count,
      cache_write_tokens: count,
      cost: fc.oneof(
        count,
        fc.nat().map((micros) => micros / 1e6),
        fc.constantFrom(0, 0.1 + 0.2, 1e-12, 5e-324),
      ),
    },
    { requiredKeys: ['at'] },
  );

  it('is read as it was written, whatever was used when', () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        expect(unpackSeries(packSeries(parts))).toEqual(parts);
      }),
    );
  });

  it('of damaged bytes ends', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void unpackSeries(bytes)));
  });

  it('of an earlier version is read, and compared with its outcome', () => {
    const parts: UsagePart[] = [
      { at: noon, input_tokens: 5, output_tokens: 2, cost: 0.5 },
      { at: noon + quarterMs, input_tokens: 1, output_tokens: 2, cache_read_tokens: 1 },
    ];
    const json = Buffer.from(
      JSON.stringify([
        [noon + quarterMs, 1, 2, 1, null],
        [noon, 5, 2, null, 0.5],
      ]),
    );
    expect(unpackSeries(json).toSorted((a, b) => a.at - b.at)).toEqual(parts);
    expect(isInJson(json, parts)).toBe(true);
    expect(isInJson(json, parts.slice(1))).toBe(false);
  });
});

/** A session of Claude Code over a month: 22 days of eight hours, a call every two minutes. */
function monthOfWork(): { lines: object[]; input: number } {
  const lines: object[] = [];
  const first = Date.parse('2026-06-01T07:00:00Z');
  let input = 0;
  for (let day = 0; day < 30; day += 1) {
    if (day % 7 > 4) continue;
    for (let call = 0; call < 250; call += 1) {
      const id = `${day}-${call}`;
      const at = new Date(first + day * 86_400_000 + call * 114_000).toISOString();
      const read = 20_000 + ((call * 7919) % 140_000);
      const write = (call * 104_729) % 2000;
      const about = { sessionId: 's-month', cwd: '/w', isSidechain: false, timestamp: at };
      const usage = {
        input_tokens: 3,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: write,
        output_tokens: (call * 31) % 900,
      };
      input += 3 + read + write;
      lines.push(
        {
          ...about,
          type: 'assistant',
          uuid: `u-${id}`,
          parentUuid: null,
          requestId: `req-${id}`,
          message: {
            id: `msg-${id}`,
            role: 'assistant',
            model: 'claude-sonnet-4-5',
            content: [{ type: 'tool_use', id: `t-${id}`, name: 'Bash', input: { command: `npm test ${id}` } }],
            usage,
          },
        },
        {
          ...about,
          type: 'user',
          uuid: `r-${id}`,
          parentUuid: `u-${id}`,
          message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: `t-${id}`, content: 'ok' }] },
        },
      );
    }
  }
  return { lines, input };
}

const ledgers = {
  async sqlite() {
    const place = join(folder(), 'ledger.db');
    const store = await openSqlite(place);
    const sizes = async (): Promise<{ whole: number; series: number }> => {
      await store.close();
      const database = new DatabaseSync(place);
      const [row] = database.prepare('select sum(length(parts) + length(run)) as bytes from usage_series').all();
      database.close();
      return { whole: statSync(place).size, series: Number(row?.['bytes'] ?? 0) };
    };
    return { store, sizes };
  },
  async postgres() {
    const schema = server.newName('series');
    const place = server.url(schema);
    const store = await openPostgres(place);
    const sizes = async (): Promise<{ whole: number; series: number }> => {
      await store.close();
      const [row] = await change(
        place,
        `select (select sum(octet_length(u.parts) + octet_length(u.run)) from ${schema}.usage_series u) as bytes,
          (select sum(pg_total_relation_size(c.oid)) from pg_class c where c.relnamespace = '${schema}'::regnamespace and c.relkind = 'r') as whole`,
      );
      return { whole: Number(row?.['whole']), series: Number(row?.['bytes'] ?? 0) };
    };
    return { store, sizes };
  },
};

async function importAll(store: RunStore, paths: readonly string[]): Promise<number> {
  let count = 0;
  for await (const { kind } of importRuns(store, runsAt(paths))) if (kind === 'added') count += 1;
  return count;
}

/** Folders of recordings; all of them take a minute to import. */
const recordings = some(globSync('test/recordings/*/').toSorted(), 6);

describe.each(isSweep ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const))('%s', (kind) => {
  it('takes at most 3 % of its room to know when a month of work, and the recordings, used what', async () => {
    const { store, sizes } = await ledgers[kind]();
    const { lines, input } = monthOfWork();
    const home = homeWith({ 'projects/-w/s-month.jsonl': lines });
    expect(await importAll(store, [home, ...recordings])).toBeGreaterThan(recordings.length);
    const used = (await store.stats('day', {})).filter(({ group }) => group?.startsWith('2026-06'));
    expect(used).toHaveLength(22);
    expect(used.reduce((sum, { input_tokens: tokens = 0 }) => sum + tokens, 0)).toBe(input);
    const { whole, series } = await sizes();
    expect(series).toBeGreaterThan(5000);
    expect(series / whole).toBeLessThan(0.03);
  });
});
