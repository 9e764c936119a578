import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Ledger, openLedgerAt } from '../../src/ledger/ledger.ts';
import { createApp } from '../../src/server/app.ts';
import { namesOf } from '../../src/server/names.ts';
import { givenTokens } from '../../src/server/own-token.ts';
import { Tokens } from '../../src/server/tokens.ts';
import { ledgerOutcome } from '../../src/stores/ledger-outcome.ts';
import { reportedOwner } from '../../src/processes/owner.ts';
import { newRunId } from '../../src/ids/run-id.ts';
import type { PostgresDatabase } from '../stores/support/postgres.ts';
import { sharedPostgres } from '../stores/support/shared-postgres.ts';
import { newRun, noon, outcomeWith } from '../stores/support/runs.ts';
import { collect } from './serving.ts';

const folder = mkdtempSync(join(tmpdir(), 'runwire-owners-'));
let server: PostgresDatabase;
beforeAll(async () => {
  server = await sharedPostgres();
});
afterAll(async () => {
  await server.remove();
  rmSync(folder, { recursive: true, force: true });
});

const places = {
  sqlite: () => ({ kind: 'sqlite', path: join(mkdtempSync(join(folder, 'ledger-')), 'ledger.db') }) as const,
  postgres: () => ({ kind: 'postgres', url: server.url(server.newName('owners')) }) as const,
};

const secretOf = (name: string): string => `${name}-secret-of-a-test-0123456789`;
const tokensFile = (lines: readonly string[]) =>
  new Tokens(givenTokens({}, { path: 'tokens', text: lines.join('\n') }));
const two = tokensFile([`report ${secretOf('alice')} alice`, `report ${secretOf('bob')} bob`]);

function appOf(ledger: Ledger, tokens: Tokens | undefined) {
  return createApp({
    ledger,
    names: namesOf({ host: '127.0.0.1', port: () => 80, allowedOrigins: [] }),
    tokens,
    assets: new Map(),
    now: () => noon,
    warn: (message) => {
      throw new Error(message);
    },
  });
}

const meta = { started_at: noon, prompt: 'Count', host: 'ci-7', pid: 4, labels: {} };
const record = (sequence: number) => ({
  type: 'log',
  stream: 'agent',
  level: 'info',
  text: `line ${sequence}`,
  sequence,
});
const expensive = {
  outcome: ledgerOutcome(outcomeWith({ metrics: { cost: 9999 } })),
  ended_at: noon + 9,
  attempts: [],
};

type App = ReturnType<typeof appOf>;
interface Upload {
  as: string;
  run: string;
  after?: number;
  lines?: readonly object[];
  more?: object;
}

async function send(
  app: App,
  { as, run, after = 0, lines = [record(after + 1)], more = {} }: Upload,
): Promise<[number, unknown]> {
  const body = [{ meta: { ...meta, ...more }, after }, ...lines].map((line) => JSON.stringify(line)).join('\n');
  const headers = { host: '127.0.0.1', authorization: `Bearer ${secretOf(as)}` };
  const answer = await app.request(`/api/report/${run}`, { method: 'POST', headers, body }, {});
  const { accepted_to, error } = (await answer.json()) as { accepted_to?: number; error?: { message: string } };
  return [answer.status, error?.message ?? accepted_to];
}

/** Everything that the ledger and its tapes hold. */
async function everything({ store, tapes }: Ledger) {
  const runs = await collect(store.export({}));
  const taped = runs.map(async ({ tape = '' }) => {
    const found = tapes.at(tape);
    return found === undefined || (await found.size()) === undefined
      ? ''
      : Buffer.concat(await collect(found.read())).toString();
  });
  return [runs, await Promise.all(taped)];
}

describe.each(['sqlite', 'postgres'] as const)('reported runs in %s', (kind) => {
  async function withLedger(work: (ledger: Ledger) => Promise<void>): Promise<void> {
    const ledger = await openLedgerAt(places[kind](), { XDG_STATE_HOME: mkdtempSync(join(folder, 'state-')) });
    try {
      await work(ledger);
    } finally {
      await ledger.store.close();
    }
  }
  const isOther = (run: string) => [
    403,
    `the run ${run} was begun by another reporter, and only that one may continue it`,
  ];
  const isNotBelow = (run: string) => [
    403,
    `the run ${run} belongs to another reporter or to this machine; a reported run cannot be below it`,
  ];

  it('belong to who began them', () =>
    withLedger(async (ledger) => {
      const app = appOf(ledger, two);
      const [going, ended, lost] = [1, 2, 3].map((each) => newRunId(noon + each)) as [string, string, string];
      await send(app, { as: 'alice', run: going });
      await send(app, {
        as: 'alice',
        run: ended,
        lines: [record(1), { ...expensive, outcome: ledgerOutcome(outcomeWith()) }],
      });
      await send(app, { as: 'alice', run: lost });
      const open = (await ledger.store.open()).find(({ id }) => id === lost);
      if (open === undefined) throw new Error('it is not open');
      const incomplete = outcomeWith({ verdict: { class: 'incomplete', exit_code: 8 } });
      await ledger.store.closeInterrupted(
        open,
        { outcome: { ...incomplete, status: 'incomplete' }, ended_at: noon + 5 },
        true,
      );
      const before = await everything(ledger);
      for (const run of [going, ended, lost])
        for (const attack of [
          { lines: [record(1), record(2)] },
          { after: 1, lines: [record(2)] },
          { lines: [expensive] },
          { after: 1, lines: [expensive] },
          { lines: [] },
          { lines: [], more: { labels: { team: 'bob' }, prompt: 'Another' } },
          { lines: [expensive], more: { started_at: noon - 1 } },
        ])
          expect([run, attack, await send(app, { as: 'bob', run, ...attack })]).toEqual([run, attack, isOther(run)]);
      expect(await everything(ledger)).toEqual(before);
      expect(await send(app, { as: 'alice', run: going, after: 1, lines: [record(2), expensive] })).toEqual([200, 2]);
      expect(await ledger.store.get(going)).toMatchObject({ reporter: 'name:alice', status: 'success', cost: 9999 });
    }));

  it('never change a run of the machine itself', () =>
    withLedger(async (ledger) => {
      const app = appOf(ledger, two);
      const run = newRun();
      const { key } = ledger.tapes.grow(run.id, run.started_at);
      for (const each of [run, newRun({ id: newRunId(noon + 1), tape: key })]) await ledger.store.begin(each);
      const before = await everything(ledger);
      for (const { id } of await collect(ledger.store.export({})))
        for (const [lines, accepted] of [
          [[record(1)], 1],
          [[expensive], 0],
          [[], 0],
        ] as const)
          expect(await send(app, { as: 'bob', run: id, lines })).toEqual([200, accepted]);
      expect(await everything(ledger)).toEqual(before);
    }));

  it('are only below runs of the same reporter', () =>
    withLedger(async (ledger) => {
      const app = appOf(ledger, two);
      const local = newRun();
      await ledger.store.begin(local);
      const [top, child, other] = [1, 2, 3].map((each) => newRunId(noon + each)) as [string, string, string];
      await send(app, { as: 'alice', run: top });
      expect(await send(app, { as: 'alice', run: child, more: { parent_run_id: top, root_run_id: top } })).toEqual([
        200, 1,
      ]);
      await send(app, { as: 'bob', run: other });
      const before = await everything(ledger);
      for (const [place, refused] of [
        [{ parent_run_id: local.id }, local.id],
        [{ parent_run_id: local.id, root_run_id: local.id }, local.id],
        [{ parent_run_id: other, root_run_id: local.id }, local.id],
        [{ parent_run_id: newRunId(noon), root_run_id: local.id }, local.id],
        [{ parent_run_id: top }, top],
        [{ parent_run_id: child, root_run_id: top }, child],
        [{ parent_run_id: other, root_run_id: top }, top],
      ] as const)
        expect(
          await send(app, { as: 'bob', run: newRunId(noon + 9), lines: [record(1), expensive], more: place }),
        ).toEqual(isNotBelow(refused));
      const self = newRunId(noon + 9);
      expect(await send(app, { as: 'bob', run: self, more: { parent_run_id: self } })).toEqual([
        400,
        'line 1: meta.parent_run_id: a run cannot be below itself',
      ]);
      expect(await everything(ledger)).toEqual(before);
      expect((await ledger.store.below([top, local.id])).map(({ id }) => id)).toEqual([child]);
    }));

  it('that name a run which is not known yet leave its tree when it turns out to be of another', () =>
    withLedger(async (ledger) => {
      const app = appOf(ledger, two);
      const [local, alices, imported] = [5, 6, 7].map((each) => newRunId(noon + each)) as [string, string, string];
      for (const [index, top] of [local, alices, imported].entries()) {
        const below = { parent_run_id: top, root_run_id: top };
        await send(app, { as: 'bob', run: newRunId(noon + 20 + index), lines: [record(1), expensive], more: below });
        await send(app, { as: 'alice', run: newRunId(noon + 30 + index), more: below });
      }
      await ledger.store.begin(newRun({ id: local }));
      await send(app, { as: 'alice', run: alices });
      await ledger.store.put({
        id: imported,
        key: 'k',
        started_at: noon,
        labels: {},
        outcome: outcomeWith(),
        ended_at: noon,
      });
      expect((await ledger.store.usageBelow([local, imported])).map(({ id }) => id)).toEqual([]);
      expect((await ledger.store.usageBelow([alices])).map(({ id, cost }) => [id.slice(0, 10), cost])).toEqual([
        [newRunId(noon + 31).slice(0, 10), undefined],
      ]);
    }));

  it('stay with their reporter when its token is changed, and tokens without a name are no one else', () =>
    withLedger(async (ledger) => {
      const run = newRunId(noon);
      await send(appOf(ledger, two), { as: 'alice', run });
      const renewed = appOf(
        ledger,
        tokensFile([`report ${secretOf('new')} alice`, `report ${secretOf('x')}`, `report ${secretOf('y')}`]),
      );
      expect(await send(renewed, { as: 'new', run, after: 1 })).toEqual([200, 2]);
      const another = newRunId(noon + 1);
      expect(await send(renewed, { as: 'x', run: another })).toEqual([200, 1]);
      expect(await send(renewed, { as: 'y', run: another, after: 1 })).toEqual(isOther(another));
      expect(await send(renewed, { as: 'x', run: another, after: 1 })).toEqual([200, 2]);
      expect(await send(appOf(ledger, undefined), { as: '', run, after: 2 })).toEqual(isOther(run));
    }));

  it('that an older version began are continued while they go on, by who knows their process', () =>
    withLedger(async (ledger) => {
      const app = appOf(ledger, two);
      const run = newRunId(noon);
      const { key } = ledger.tapes.grow(run, noon);
      await ledger.store.begin({ ...newRun({ id: run, tape: key }), owner: reportedOwner('ci-7', 4) });
      for (const more of [{ pid: 5 }, { host: 'ci-8' }, { started_at: noon + 1 }])
        expect(await send(app, { as: 'bob', run, more })).toEqual(isOther(run));
      expect(await send(app, { as: 'alice', run, lines: [record(1), expensive] })).toEqual([200, 1]);
      expect(await send(app, { as: 'alice', run, after: 1 })).toEqual(isOther(run));
    }));
});
