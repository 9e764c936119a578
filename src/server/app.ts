import { Hono } from 'hono';
import type { RunOrder } from '../contract/orders.ts';
import { Failure } from '../failure.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { LiveRuns } from '../ledger/live.ts';
import { Timelines } from '../ledger/timelines.ts';
import { isDatabaseError } from '../stores/database.ts';
import type { RunRecord } from '../stores/run-store.ts';
import { PlaceAway } from '../tapes/tape.ts';
import type { Assets } from './assets.ts';
import type { ServerEnv } from './env.ts';
import { defaultTiming, type StreamTiming } from './event-stream.ts';
import { guard, type Names } from './guard.ts';
import { Metrics } from './metrics.ts';
import { Problem } from './problem.ts';
import type { QueueWindow } from './queue.ts';
import { addRoutes } from './route.ts';
import { liveRoutes } from './routes/live.ts';
import { pageRoutes } from './routes/page.ts';
import { orderRoutes } from './routes/order.ts';
import { recordRoutes } from './routes/records.ts';
import { reportRoutes } from './routes/report.ts';
import { runRoutes } from './routes/runs.ts';
import { serviceRoutes } from './routes/service.ts';
import { stopRoutes } from './routes/stop.ts';
import { type Tokens, WrongTokens } from './tokens.ts';
import { Turns } from './turns.ts';
import { Viewers } from './viewers.ts';

export interface AppOptions {
  ledger: Ledger;
  names: Names;
  /** Undefined: anyone who can reach the server may do everything. */
  tokens: Tokens | undefined;
  assets: Assets;
  /** Absent: this ledger can have no queue. */
  queue?: QueueWindow | undefined;
  /** Has a run carry out an order; returns why it did not. */
  order?: ((run: RunRecord, order: RunOrder) => Promise<string | undefined>) | undefined;
  now: () => number;
  timing?: StreamTiming;
  /** Receives internal errors. */
  warn: (message: string) => void;
}

/** What every route shares. */
export interface AppParts {
  ledger: Ledger;
  live: LiveRuns;
  metrics: Metrics;
  viewers: Viewers;
  turns: Turns;
  timelines: Timelines;
  timing: StreamTiming;
  now: () => number;
  names: Names;
  tokens: Tokens | undefined;
  wrong: WrongTokens;
  assets: Assets;
  queue: QueueWindow | undefined;
  order: AppOptions['order'];
}

/** The whole server: a request in, a response out. */
export function createApp({
  ledger,
  names,
  tokens,
  assets,
  queue,
  order,
  now,
  timing = defaultTiming,
  warn,
}: AppOptions): Hono<ServerEnv> {
  const wrong = new WrongTokens(now);
  const metrics = new Metrics();
  const [live, viewers, turns, timelines] = [new LiveRuns(ledger, now), new Viewers(), new Turns(), new Timelines()];
  const parts: AppParts = {
    ledger,
    live,
    metrics,
    viewers,
    turns,
    timelines,
    timing,
    now,
    names,
    tokens,
    wrong,
    assets,
    queue,
    order,
  };
  const app = new Hono<ServerEnv>();
  app.use(async (context, next) => {
    context.set('address', context.env.incoming?.socket.remoteAddress ?? '');
    await next();
  });
  app.use(guard({ names, tokens, wrong }));
  addRoutes(app, {
    ...serviceRoutes(parts),
    ...runRoutes(parts),
    ...recordRoutes(parts),
    ...liveRoutes(parts),
    ...stopRoutes(parts),
    ...orderRoutes(parts),
    ...reportRoutes(parts),
    ...pageRoutes(parts),
  });
  app.notFound((context) =>
    context.json(new Problem('not_found', 'there is nothing here; see /openapi.json for what there is').body, 404),
  );
  app.onError((error, context) => {
    const problem = problemOf(error);
    if (problem === undefined) {
      warn(`unexpected: ${error.stack ?? error.message}`);
      return context.json(
        { error: { code: 'internal', message: 'internal error; the terminal of "runwire serve" shows details' } },
        500,
      );
    }
    metrics.refused += 1;
    if (problem.retryAfter !== undefined) context.header('Retry-After', String(problem.retryAfter));
    return context.json(problem.body, problem.status);
  });
  return app;
}

function problemOf(error: Error): Problem | undefined {
  if (error instanceof Problem) return error;
  if (error instanceof PlaceAway) return new Problem('unavailable', error.message);
  if (error instanceof Failure) return new Problem(error.code === 'permission' ? 'forbidden' : 'input', error.message);
  if (isDatabaseError(error))
    return new Problem('unavailable', 'the ledger does not answer; try "runwire runs verify"');
  return undefined;
}
