import type { Hono } from 'hono';
import { compareRuns } from '../../ledger/diff.ts';
import { Families } from '../../ledger/families.ts';
import { groupingsOf, statsBy } from '../../ledger/stats.ts';
import { readTimeline } from '../../ledger/timeline.ts';
import { runsBelow } from '../../ledger/tree.ts';
import { present } from '../../present.ts';
import { isWholeId } from '../../stores/run-id.ts';
import type { Room } from '../app.ts';
import type { ServerEnv } from '../env.ts';
import { allow } from '../guard.ts';
import { Problem } from '../problem.ts';
import { tapeInTurns } from './records.ts';
import { askedFilter, askedNumber, namedRun } from '../questions.ts';

const defaultLimit = 50;
const mostRuns = 500;

/** What the ledger knows about runs. */
export function runRoutes(app: Hono<ServerEnv>, { ledger, turns, now }: Room): void {
  const { store } = ledger;

  app.get('/api/runs', allow('read'), async (context) => {
    const filter = await askedFilter(context, ledger, now());
    const limit = askedNumber(context, 'limit', { least: 1, most: mostRuns }) ?? defaultLimit;
    const after = context.req.query('after') || undefined;
    if (after !== undefined && !isWholeId(after)) throw new Problem('input', 'after: expected "next" of the previous page');
    // A page may hold a hundred thousand labels.
    await turns.next();
    const families = new Families(store);
    const liveFirst = context.req.query('live') === '1';
    const isRunning = filter.status?.includes('running') ?? true;
    // Open runs come before the first page, and on no other.
    const open =
      liveFirst && isRunning && after === undefined
        ? (await families.page({ ...filter, status: ['running'] }, { limit: mostRuns })).runs
        : [];
    const status = filter.status?.filter((each) => each !== 'running') ?? (['success', 'error', 'cancelled', 'incomplete'] as const);
    const rest = liveFirst ? { ...filter, status } : filter;
    const page = await families.page(rest, { limit, ...present({ after }) });
    const total = context.req.query('total') === '1' ? await store.count(filter) : undefined;
    await turns.next();
    return context.json({ runs: [...open, ...page.runs], ...present({ next: page.next, total }) });
  });

  app.get('/api/stats', allow('read'), async (context) => {
    const filter = await askedFilter(context, ledger, now());
    return context.json({ rows: await statsBy(store, groupingsOf('by', context.req.query('by') || 'day'), filter) });
  });

  app.get('/api/runs/:id', allow('read'), async (context) => {
    return context.json(await new Families(store).complete(await namedRun(ledger, context.req.param('id'))));
  });

  app.get('/api/runs/:id/children', allow('read'), async (context) => {
    return context.json({ runs: await runsBelow(store, await namedRun(ledger, context.req.param('id'))) });
  });

  app.get('/api/runs/:id/timeline', allow('read'), async (context) => {
    const run = await namedRun(ledger, context.req.param('id'));
    return context.json(await readTimeline(await tapeInTurns({ ledger, turns }, run)));
  });

  app.get('/api/runs/:a/diff/:b', allow('read'), async (context) => {
    const [a, b] = [await namedRun(ledger, context.req.param('a')), await namedRun(ledger, context.req.param('b'))];
    return context.json(compareRuns(a, b));
  });
}
