import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { absorbImports } from '../../src/ledger/one-run.ts';
import { importRuns, runsAt } from '../../src/ledger/import.ts';
import { openPostgres } from '../../src/stores/postgres.ts';
import type { RunStore } from '../../src/stores/run-store.ts';
import { openSqlite } from '../../src/stores/sqlite.ts';
import { writeClaudeSession } from '../support/claude-session.ts';
import { writePiSession } from '../support/pi-session.ts';
import { isSweep, some } from '../support/sweep.ts';
import { change } from './support/change.ts';
import type { PostgresDatabase } from './support/postgres.ts';
import { sharedPostgres } from './support/shared-postgres.ts';
import { newRun, noon, outcomeWith } from './support/runs.ts';

const folder = mkdtempSync(join(tmpdir(), 'runwire-calls-'));
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

/** Writes session files, each in a folder of its own, as on another day. */
function sessions(write = writeClaudeSession): (name: string, calls: readonly string[]) => string {
  const parent = mkdtempSync(join(folder, 'copies-'));
  return (name, calls) => write(parent, name, calls, noon);
}

async function take(store: RunStore, path: string | string[]): Promise<unknown[]> {
  const told = [];
  for await (const each of importRuns(store, runsAt(path)))
    told.push([each.kind, 'repeated' in each ? each.repeated : 0]);
  return told;
}

async function counted(store: RunStore): Promise<unknown[]> {
  const found: unknown[] = [];
  for await (const { session_id, input_tokens, tool_calls } of store.export({}))
    found.push([session_id, input_tokens, tool_calls]);
  return found.toSorted();
}

function ordersOf<Each>(all: readonly Each[]): Each[][] {
  return all.length < 2
    ? [[...all]]
    : all.flatMap((first) => ordersOf(all.filter((each) => each !== first)).map((rest) => [first, ...rest]));
}

describe.each(['sqlite', 'postgres'] as const)('the model calls of sessions, in %s', (kind) => {
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

  it('count once, in whichever file and with whichever import they come', () =>
    withStore(async (store, place) => {
      const session = sessions();
      const first = session('first', ['m1', 'm2', 'm3']);
      const fork = session('fork', ['m1', 'm2', 'm4', 'm5']);
      expect([await take(store, first), await take(store, fork), await take(store, fork)]).toEqual([
        [['added', 0]],
        [['added', 2]],
        [['same', 2]],
      ]);
      // The result of a tool whose call is left out is left out with it.
      expect(await counted(store)).toEqual([
        ['first', 30, 2],
        ['fork', 20, 1],
      ]);
      expect(await take(store, session('copy', ['m1', 'm2', 'm3']))).toEqual([['same', 3]]);
      expect(await take(store, session('fork', ['m1', 'm2', 'm4', 'm5', 'm6']))).toEqual([['grown', 2]]);
      expect(await counted(store)).toEqual([
        ['first', 30, 2],
        ['fork', 30, 2],
      ]);
      // What is forgotten is free again: the next file that has it counts it, and still only one.
      await store.prune({ session: ['first'] });
      expect(await take(store, session('fork', ['m1', 'm2', 'm4', 'm5', 'm6', 'm7']))).toEqual([['grown', 0]]);
      expect(await take(store, first)).toEqual([['added', 2]]);
      expect(await counted(store)).toEqual([
        ['first', 10, 0],
        ['fork', 60, 5],
      ]);
      // A run that was seen live, or imported by an older version, has what the file of its session says.
      await change(
        place,
        `delete from ${kind === 'sqlite' ? '' : `${new URL(place).searchParams.get('schema')}.`}requests`,
      );
      const live = newRun({ started_at: noon });
      await store.begin(live);
      const provenance = { agent: 'claude', dialect: 'claude', runwire_version: '0.1.0', unknown_lines: 0, notes: [] };
      await store.finish(live.id, {
        ...ending,
        outcome: { ...outcomeWith(), session_id: 'live', provenance },
        ended_at: noon + 60_000,
      });
      for (const path of [first, session('live', ['l1', 'l2']), session('live', ['l1', 'l2'])])
        expect(await take(store, path)).toEqual([['same', 0]]);
      expect(await take(store, session('later', ['m3', 'm8']))).toEqual([['added', 1]]);
      expect(await take(store, session('later-still', ['l1', 'l2', 'l3']))).toEqual([['added', 2]]);
    }));

  /** A live run has the calls m1 to m3. So has the file of its session, which comes in at any time, as do those of a fork and of a copy that was resumed. */
  const doors = ['end', 'original', 'fork', 'resumed'] as const;

  const agents = [
    ['claude', writeClaudeSession],
    ['pi', writePiSession],
  ] as const;

  it.each(
    some(
      agents.flatMap(([agent, write]) => ordersOf(doors).map((order) => [agent, order, write] as const)),
      5,
    ),
  )('count once, whichever comes first: %s, %j', (agent, order, write) =>
    withStore(async (store) => {
      const session = sessions(write);
      const files = {
        original: session('original', ['m1', 'm2', 'm3']),
        fork: session('fork', ['m1', 'm2', 'm4', 'm5']),
        resumed: session('resumed', ['m1', 'm2', 'm3', 'm6']),
      };
      const live = newRun({ started_at: noon });
      await store.begin(live);
      await store.note(live.id, { at: noon + 1000, session_id: 'original', agent });
      for (const door of order)
        if (door === 'end') await endLive(store, live.id, agent);
        else await take(store, files[door]);
      const totals = { input: 0, output: 0, turns: 0 };
      for await (const run of store.export({})) {
        totals.input += run.input_tokens ?? 0;
        totals.output += run.output_tokens ?? 0;
        totals.turns += run.turns ?? 0;
      }
      // m1 to m6, each once.
      expect(totals).toEqual({ input: 60, output: 6, turns: 6 });
      // Those that came in again change nothing.
      for (const path of Object.values(files)) expect(await take(store, path)).toEqual([['same', expect.anything()]]);
    }),
  );

  async function endLive(store: RunStore, id: string, agent: string): Promise<void> {
    const { metrics, ...rest } = outcomeWith();
    await store.finish(id, {
      outcome: {
        ...rest,
        metrics: { ...metrics, input_tokens: 30, output_tokens: 3, tokens_used: 33, turns: 3 },
        session_id: 'original',
        provenance: { agent, dialect: agent, runwire_version: '0.1.0', unknown_lines: 0, notes: [] },
      },
      ended_at: noon + 26_000,
      last_sequence: 9,
    });
    await absorbImports(store, id);
  }

  /** A store whose user learns which calls are known only when all others have learned it, too: none of them has added anything yet. */
  function together(stores: readonly RunStore[]): RunStore[] {
    const all = Promise.withResolvers<void>();
    let asked = 0;
    return stores.map((store) => {
      let isFirst = true;
      return new Proxy(store, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name, target);
          if (typeof value !== 'function') return value;
          if (name !== 'ownersOf' || !isFirst) return value.bind(target) as unknown;
          return async (requests: readonly string[]) => {
            isFirst = false;
            const owners = await target.ownersOf(requests);
            if ((asked += 1) === stores.length) all.resolve();
            await all.promise;
            return owners;
          };
        },
      });
    });
  }

  it('count once when several imports find them at the same moment', () =>
    withStore(async (store, place) => {
      const session = sessions();
      const files = [
        session('first', ['m1', 'm2', 'm3']),
        session('fork', ['m1', 'm2', 'm4', 'm5']),
        session('copy', ['m1', 'm2', 'm3']),
        session('other', ['m3', 'm1', 'm6']),
      ];
      const others = await Promise.all(files.slice(1).map(() => openers[kind](place)));
      await Promise.all(together([store, ...others]).map((each, index) => take(each, files[index] ?? '')));
      await Promise.all(others.map((each) => each.close()));
      const tokens = (await counted(store)).reduce((sum: number, row) => sum + Number((row as unknown[])[1]), 0);
      // m1 to m6, each once.
      expect(tokens).toBe(60);
      expect(await take(store, files)).toEqual(expect.not.arrayContaining([['added', expect.anything()]]));
    }));

  it('count once when a session grows while another import takes a copy of it', () =>
    withStore(async (store, place) => {
      const session = sessions();
      await take(store, session('first', ['m1', 'm2']));
      const grown = session('first', ['m1', 'm2', 'm3']);
      const other = await openers[kind](place);
      const [one = store, two = store] = together([store, other]);
      await Promise.all([take(one, grown), take(two, session('fork', ['m1', 'm2', 'm3', 'm4']))]);
      await other.close();
      expect((await counted(store)).reduce((sum: number, row) => sum + Number((row as unknown[])[1]), 0)).toBe(40);
    }));

  it.runIf(isSweep)('count once when processes import copies at once', async () => {
    const bin = join(import.meta.dirname, '..', '..', 'bin', 'runwire.js');
    for (let round = 1; round <= 15; round += 1)
      await withStore(async (store, place) => {
        const session = sessions();
        const calls = Array.from({ length: 40 }, (_, index) => `m${index}`);
        const files = [1, 2, 3].map((name) => session(`s${name}`, [...calls.slice(0, 10 * round), `own-${name}`]));
        const done = files.map(
          (file) =>
            new Promise<number | null>((resolve) => {
              const child = spawn(process.execPath, [bin, 'runs', 'import', '--ledger', place, file], {
                stdio: 'ignore',
              });
              child.on('close', resolve);
            }),
        );
        expect(await Promise.all(done)).toEqual([0, 0, 0]);
        const tokens = (await counted(store)).reduce((sum: number, row) => sum + Number((row as unknown[])[1]), 0);
        expect(tokens).toBe(10 * (Math.min(40, 10 * round) + files.length));
      });
  });
});
