import type { Context } from 'hono';
import { compareRuns } from '../../ledger/diff.ts';
import { ChildSums } from '../../ledger/child-sums.ts';
import { groupingsOf, statsBy } from '../../ledger/stats.ts';
import { tapeOf } from '../../ledger/run-tape.ts';
import { runsBelow } from '../../ledger/tree.ts';
import { present } from '../../json/present.ts';
import { isWholeId } from '../../ids/run-id.ts';
import type { RunRecord } from '../../stores/run-store.ts';
import type { AppParts } from '../app.ts';
import type { ServerEnv } from '../env.ts';
import { Problem } from '../problem.ts';
import { requestedFilter, namedRun } from '../questions.ts';
import type { Query, Handlers } from '../route.ts';
import { mostRuns } from '../route-table.ts';
import { inTurns } from '../turns.ts';
import { tapeInTurns } from './records.ts';

const defaultLimit = 50;

/** What the ledger knows about runs. */
export function runRoutes({ ledger, turns, timelines, now }: AppParts) {
  const { store } = ledger;

  async function page(
    context: Context<ServerEnv>,
    query: Query<'limit' | 'after' | 'live' | 'total'>,
  ): Promise<Response> {
    const filter = await requestedFilter(context, ledger, now());
    const limit = query.whole('limit') ?? defaultLimit;
    const after = query.word('after');
    if (after !== undefined && !isWholeId(after))
      throw new Problem('input', 'after: expected "next" of the previous page');
    // A page may hold a hundred thousand labels.
    await turns.next();
    const childSums = new ChildSums(store);
    const liveFirst = query.word('live') === '1';
    const isRunning = filter.status?.includes('running') ?? true;
    // Open runs come before the first page, and on no other.
    const open =
      liveFirst && isRunning && after === undefined
        ? (await childSums.page({ ...filter, status: ['running'] }, { limit: mostRuns })).runs
        : [];
    const status =
      filter.status?.filter((each) => each !== 'running') ?? (['success', 'error', 'cancelled', 'incomplete'] as const);
    const rest = liveFirst ? { ...filter, status } : filter;
    const newest = await childSums.page(rest, { limit, ...present({ after }) });
    const total = query.word('total') === '1' ? await store.count(filter) : undefined;
    await turns.next();
    return context.json({ runs: [...open, ...newest.runs], ...present({ next: newest.next, total }) });
  }

  /** What it was not allowed to do; without a tape, nobody knows. */
  async function deniedOf(run: RunRecord) {
    const found = await tapeOf(ledger.tapes, run);
    if ('missing' in found) return [];
    const { entries } = await timelines.of(run, inTurns(found.tape, turns));
    return entries.flatMap(({ name, status, about = '' }) =>
      status === 'denied' ? [{ tool: name, touched: about }] : [],
    );
  }

  return {
    'get /api/runs': page,

    async 'get /api/stats'(context, query) {
      const filter = await requestedFilter(context, ledger, now());
      return context.json({ rows: await statsBy(store, groupingsOf('by', query.word('by') ?? 'day'), filter) });
    },

    async 'get /api/runs/{id}'(context) {
      return context.json(await new ChildSums(store).complete(await namedRun(ledger, context.req.param('id'))));
    },

    async 'get /api/runs/{id}/children'(context) {
      return context.json({ runs: await runsBelow(store, await namedRun(ledger, context.req.param('id'))) });
    },

    async 'get /api/runs/{id}/timeline'(context) {
      const run = await namedRun(ledger, context.req.param('id'));
      return context.json(await timelines.of(run, await tapeInTurns({ ledger, turns }, run)));
    },

    async 'get /api/runs/{id}/advice'(context) {
      const run = await namedRun(ledger, context.req.param('id'));
      const { outcome } = run;
      if (outcome === undefined) return context.json({ advice: [] });
      const { abilitiesOf, advise, adviseOnCrew } = await import('../../ledger/advice.ts');
      const ofCrew = adviseOnCrew(outcome, run.id);
      if (ofCrew !== undefined) return context.json({ advice: ofCrew });
      const abilities = await abilitiesOf(outcome.provenance.agent ?? run.agent);
      const denied = outcome.denials === undefined ? [] : await deniedOf(run);
      return context.json({ advice: advise(outcome, { ...abilities, denied, isFull: false, flags: () => [] }) });
    },

    async 'get /api/runs/{id}/diff/{other}'(context) {
      const [a, b] = [
        await namedRun(ledger, context.req.param('id')),
        await namedRun(ledger, context.req.param('other')),
      ];
      return context.json(compareRuns(a, b));
    },
  } satisfies Partial<Handlers>;
}
