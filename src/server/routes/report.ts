import type { Context } from 'hono';
import type { ReportedRuns } from '../../ledger/report.ts';
import { isWholeId } from '../../ids/run-id.ts';
import type { AppParts } from '../app.ts';
import { readBody } from '../body.ts';
import type { ServerEnv } from '../env.ts';
import { Problem } from '../problem.ts';
import type { Handlers } from '../route.ts';

const mostBytes = 32 * 1024 * 1024;
/** How many request bodies are in memory at once. */
const mostUploads = 8;

/** Runs on other machines, reported by "runwire run --report". */
export function reportRoutes({ ledger, now, metrics, turns }: AppParts) {
  let reported: Promise<ReportedRuns> | undefined;
  let open = 0;

  async function report(context: Context<ServerEnv>): Promise<Response> {
    const id = context.req.param('id') ?? '';
    if (!isWholeId(id)) throw new Problem('input', 'that is not the id of a run');
    if (open >= mostUploads) throw new Problem('unavailable', 'too many uploads at once; try again', {}, 1);
    open += 1;
    try {
      reported ??= import('../../ledger/report.ts').then(
        (module) => new module.ReportedRuns(ledger, now, () => turns.next()),
      );
      const answer = await (await reported).accept(id, await readBody(context, mostBytes), context.get('who').id);
      if ('missing' in answer)
        throw new Problem('conflict', `earlier records are missing here; send everything after ${answer.accepted_to}`, {
          accepted_to: answer.accepted_to,
        });
      metrics.uploads += 1;
      metrics.recordsReported += answer.added;
      return context.json({ accepted_to: answer.accepted_to });
    } finally {
      open -= 1;
    }
  }

  return { 'post /api/report/{id}': report } satisfies Partial<Handlers>;
}
