import type { Hono } from 'hono';
import type { RunSummary } from '../../stores/run-store.ts';
import type { Room } from '../app.ts';
import type { ServerEnv } from '../env.ts';
import { type Message, sseText, streamOf } from '../event-stream.ts';
import { allow } from '../guard.ts';
import { refuseCrowd, streamHeaders } from './records.ts';

/** Runs that changed and were not taken yet; each is there once, as it is now. */
const mostWaiting = 5000;

/** Every run of the ledger, whenever it begins, changes or ends. */
export function liveRoutes(app: Hono<ServerEnv>, room: Room): void {
  const { live, metrics, timing } = room;

  app.get('/api/live', allow('read'), (context) => {
    refuseCrowd(room);
    const body = streamOf(liveMessages, {
      encode: sseText,
      behind: () => ({ event: 'behind', data: '{}' }),
      keepAlive: ': runwire\n\n',
      metrics,
      timing,
    });
    return context.body(body, 200, streamHeaders('text/event-stream'));
  });

  async function* liveMessages(left: AbortSignal): AsyncGenerator<readonly Message[], void> {
    const waiting = new Map<string, RunSummary>();
    let news = Promise.withResolvers<void>();
    const release = await live.listen((runs) => {
      for (const run of runs) waiting.set(run.id, run);
      news.resolve();
    });
    left.addEventListener('abort', () => news.resolve());
    try {
      for (;;) {
        await news.promise;
        if (left.aborted) return;
        news = Promise.withResolvers();
        const runs = [...waiting.values()];
        waiting.clear();
        if (runs.length > mostWaiting) {
          yield [{ event: 'behind', data: '{}' }];
          return;
        }
        if (runs.length > 0) yield runs.map((run) => ({ event: 'run', data: JSON.stringify(run) }));
      }
    } finally {
      release();
    }
  }
}
