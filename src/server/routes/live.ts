import type { Context } from 'hono';
import type { RunSummary } from '../../stores/run-store.ts';
import type { AppParts } from '../app.ts';
import type { ServerEnv } from '../env.ts';
import { type Message, type Messages, sseText, streamOf } from '../event-stream.ts';
import type { Handlers } from '../route.ts';
import { streamHeaders } from './records.ts';

/** How many changed runs may wait for a viewer; each is held once, in its latest state. */
const mostWaiting = 5000;

/** Reports every run of the ledger whenever it begins, changes or ends. */
export function liveRoutes({ live, metrics, viewers, timing }: AppParts) {
  async function watch(context: Context<ServerEnv>): Promise<Response> {
    viewers.refuseCrowd();
    const { signal } = context.req.raw;
    const news = new News();
    // A connected viewer misses nothing from here on, so one that reads the list afterwards has everything.
    const release = await live.listen((runs) => news.add(runs), signal);
    try {
      // Other viewers may have connected meanwhile.
      viewers.refuseCrowd();
    } catch (error) {
      release();
      throw error;
    }
    const messages: Messages = (left) => {
      // Also for a viewer that leaves before it reads anything.
      left.addEventListener('abort', release);
      return news.messages(left);
    };
    const body = streamOf(messages, {
      encode: sseText,
      behind,
      keepAlive: ': runwire\n\n',
      signal,
      metrics,
      viewers,
      timing,
    });
    return context.body(body, 200, streamHeaders('text/event-stream'));
  }

  return { 'get /api/live': watch } satisfies Partial<Handlers>;
}

const behind = (): Message => ({ event: 'behind', data: '{}' });

/** The changes that one viewer has not received yet. */
class News {
  readonly #waiting = new Map<string, RunSummary>();
  #some = Promise.withResolvers<void>();

  add(runs: readonly RunSummary[]): void {
    for (const run of runs) this.#waiting.set(run.id, run);
    this.#some.resolve();
  }

  async *messages(left: AbortSignal): AsyncGenerator<readonly Message[], void> {
    left.addEventListener('abort', () => this.#some.resolve());
    for (;;) {
      await this.#some.promise;
      if (left.aborted) return;
      this.#some = Promise.withResolvers();
      const runs = [...this.#waiting.values()];
      this.#waiting.clear();
      if (runs.length > mostWaiting) {
        yield [behind()];
        return;
      }
      if (runs.length > 0) yield runs.map((run) => ({ event: 'run', data: JSON.stringify(run) }));
    }
  }
}
