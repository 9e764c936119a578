import type { Context } from 'hono';
import type { Variant } from '../../dialects/dialect.ts';
import { tapeOf } from '../../ledger/run-tape.ts';
import type { RunRecord } from '../../stores/run-store.ts';
import { PlaceAway, type Tape } from '../../tapes/tape.ts';
import type { AppParts } from '../app.ts';
import type { ServerEnv } from '../env.ts';
import { sseText, streamOf } from '../event-stream.ts';
import { Problem } from '../problem.ts';
import { namedRun } from '../questions.ts';
import type { Query, Handlers } from '../route.ts';
import { inTurns } from '../turns.ts';
import { ndjsonText, recordMessages, type Wanted } from '../records.ts';

/** The records of a run, live or not, and its tape in any dialect. */
export function recordRoutes(parts: AppParts) {
  const { ledger, metrics, viewers, timing } = parts;

  async function records(context: Context<ServerEnv>, query: Query<RecordParameter>): Promise<Response> {
    const { run, tape } = await taped(context);
    const wanted = wantedIn(query);
    viewers.refuseCrowd();
    const isLines = context.req.header('accept')?.includes('application/x-ndjson') === true;
    let last = wanted.after;
    async function* messages(left: AbortSignal) {
      try {
        for await (const some of recordMessages(parts, run, tape, wanted, left)) {
          last = some.at(-1)?.id ?? last;
          yield some;
        }
      } catch (error) {
        // A page reconnects by itself and is told why; a stream of lines just ends early, which its reader notices.
        if (isLines || !(error instanceof PlaceAway)) throw error;
        yield [{ event: 'away', data: JSON.stringify({ after: last, message: error.message }) }];
      }
    }
    const body = streamOf(messages, {
      encode: isLines ? ndjsonText : sseText,
      behind: () => ({ event: 'behind', data: JSON.stringify({ after: last }) }),
      ...(isLines ? {} : { keepAlive: ': runwire\n\n' }),
      signal: context.req.raw.signal,
      metrics,
      viewers,
      timing,
    });
    return context.body(body, 200, streamHeaders(isLines ? 'application/x-ndjson' : 'text/event-stream'));
  }

  async function file(context: Context<ServerEnv>, query: Query<'to'>): Promise<Response> {
    const { run, tape } = await taped(context);
    const to = query.word('to') ?? 'runwire';
    const [{ findWriter }, { tapeText }] = await Promise.all([
      import('../../dialects/registry.ts'),
      import('../../ledger/tape-text.ts'),
    ]);
    const { dialect, variant } = findWriter(to);
    viewers.refuseCrowd();
    async function* messages() {
      for await (const data of tapeText(ledger, run, tape, { dialect, variant })) yield [{ event: 'text', data }];
    }
    const body = streamOf(messages, {
      encode: ({ data }) => data,
      signal: context.req.raw.signal,
      metrics,
      viewers,
      timing,
    });
    const { type, ending } = fileKinds[variant.layout];
    return context.body(body, 200, {
      ...streamHeaders(type),
      ...variant.headers,
      // A stream for a front end is not a file to save.
      ...(variant.layout === 'sse'
        ? {}
        : { 'Content-Disposition': `attachment; filename="${run.id}.${dialect.id}${ending}"` }),
    });
  }

  async function wire(context: Context<ServerEnv>): Promise<Response> {
    const { tape } = await taped(context);
    const { wireOn } = await import('../../ledger/wire-view.ts');
    return context.json(await wireOn(tape));
  }

  async function taped(context: Context<ServerEnv>): Promise<{ run: RunRecord; tape: Tape }> {
    const run = await namedRun(ledger, context.req.param('id'));
    return { run, tape: await tapeInTurns(parts, run) };
  }

  return {
    'get /api/runs/{id}/records': records,
    'get /api/runs/{id}/tape': file,
    'get /api/runs/{id}/wire': wire,
  } satisfies Partial<Handlers>;
}

/** The tape of a run, read without holding up other requests. */
export async function tapeInTurns(
  { ledger, turns }: Pick<AppParts, 'ledger' | 'turns'>,
  run: RunRecord,
): Promise<Tape> {
  const found = await tapeOf(ledger.tapes, run);
  if ('missing' in found) throw new Problem('not_found', found.missing);
  return inTurns(found.tape, turns);
}

const fileKinds: Record<Variant['layout'], { type: string; ending: string }> = {
  lines: { type: 'application/x-ndjson', ending: '.jsonl' },
  array: { type: 'application/json', ending: '.json' },
  document: { type: 'application/json', ending: '.json' },
  sse: { type: 'text/event-stream', ending: '.sse' },
};

type RecordParameter = 'after' | 'limit' | 'follow' | 'cut' | 'Last-Event-ID';

function wantedIn(query: Query<RecordParameter>): Wanted {
  const limit = query.whole('limit');
  const after = query.whole('after') ?? 0;
  // A browser that reconnects requests the same address, and sends in a header how far it got.
  const seen = query.word('Last-Event-ID') ?? '';
  return {
    after: /^\d{1,15}$/.test(seen) ? Math.max(after, Number(seen)) : after,
    limit,
    cut: query.whole('cut'),
    follow: query.word('follow') !== '0' && limit === undefined,
  };
}

export function streamHeaders(type: string): Record<string, string> {
  // A proxy must not buffer the stream.
  return { 'Content-Type': type, 'X-Accel-Buffering': 'no' };
}
