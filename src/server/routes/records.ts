import type { Context, Hono } from 'hono';
import type { Variant } from '../../dialects/dialect.ts';
import { tapeOf } from '../../ledger/run-tape.ts';
import type { RunRecord } from '../../stores/run-store.ts';
import { PlaceAway, type Tape } from '../../stores/tape.ts';
import type { Room } from '../app.ts';
import type { ServerEnv } from '../env.ts';
import { sseText, streamOf } from '../event-stream.ts';
import { allow } from '../guard.ts';
import { Problem } from '../problem.ts';
import { askedNumber, namedRun } from '../questions.ts';
import { inTurns } from '../turns.ts';
import { ndjsonText, recordMessages, type Wanted } from '../records.ts';

const mostRecords = 1_000_000;

/** The records of a run, live or not, and its tape in any dialect. */
export function recordRoutes(app: Hono<ServerEnv>, room: Room): void {
  const { ledger, metrics, viewers, timing } = room;

  app.get('/api/runs/:id/records', allow('read'), async (context) => {
    const { run, tape } = await taped(context);
    const wanted = askedRecords(context);
    viewers.refuseCrowd();
    const isLines = context.req.header('accept')?.includes('application/x-ndjson') === true;
    let last = wanted.after;
    async function* messages(left: AbortSignal) {
      try {
        for await (const some of recordMessages(room, run, tape, wanted, left)) {
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
  });

  app.get('/api/runs/:id/tape', allow('read'), async (context) => {
    const { run, tape } = await taped(context);
    const to = context.req.query('to') || 'runwire';
    const [{ findWriter }, { tapeText }] = await Promise.all([import('../../dialects/registry.ts'), import('../../ledger/tape-text.ts')]);
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
      ...(variant.layout === 'sse' ? {} : { 'Content-Disposition': `attachment; filename="${run.id}.${dialect.id}${ending}"` }),
    });
  });

  async function taped(context: Context<ServerEnv>): Promise<{ run: RunRecord; tape: Tape }> {
    const run = await namedRun(ledger, context.req.param('id') ?? '');
    return { run, tape: await tapeInTurns(room, run) };
  }
}

/** The tape of a run, read without holding up other requests. */
export async function tapeInTurns({ ledger, turns }: Pick<Room, 'ledger' | 'turns'>, run: RunRecord): Promise<Tape> {
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

function askedRecords(context: Context<ServerEnv>): Wanted {
  const limit = askedNumber(context, 'limit', { least: 1, most: mostRecords });
  const asked = askedNumber(context, 'after', { least: 0, most: Number.MAX_SAFE_INTEGER }) ?? 0;
  // A browser that reconnects requests the same address, and sends in a header how far it got.
  const told = context.req.header('last-event-id') ?? '';
  const after = /^\d{1,15}$/.test(told) ? Math.max(asked, Number(told)) : asked;
  const cut = askedNumber(context, 'cut', { least: 10, most: Number.MAX_SAFE_INTEGER });
  return { after, limit, cut, follow: context.req.query('follow') !== '0' && limit === undefined };
}

export function streamHeaders(type: string): Record<string, string> {
  // A proxy must not buffer the stream.
  return { 'Content-Type': type, 'X-Accel-Buffering': 'no' };
}
