import { endsWith, stopRun } from '../../ledger/stop.ts';
import type { AppParts } from '../app.ts';
import { jsonIn, readBody } from '../body.ts';
import { Problem } from '../problem.ts';
import { namedRun } from '../questions.ts';
import type { Handlers } from '../route.ts';

const mostBytes = 4096;

/** Stops a run of this machine, as Ctrl-C would. */
export function stopRoutes({ ledger }: AppParts) {
  return {
    async 'get /api/runs/{id}/stop'(context) {
      const ends = await endsWith(ledger.store, await namedRun(ledger, context.req.param('id')));
      return context.json('refused' in ends ? { run_ids: [], refused: ends.refused } : { run_ids: ends.run_ids });
    },

    async 'post /api/runs/{id}/stop'(context) {
      const reason = reasonIn(await readBody(context, mostBytes));
      const { name } = context.get('who');
      const by = `${name}, from ${context.get('address')}`;
      const answer = await stopRun(ledger.store, await namedRun(ledger, context.req.param('id')), { by, reason });
      if ('refused' in answer) throw new Problem('conflict', `the run cannot be stopped from here: ${answer.refused}`);
      return context.json(answer, 202);
    },
  } satisfies Partial<Handlers>;
}

function reasonIn(text: string): string {
  const { reason = '' } = (jsonIn(text) ?? { reason: null }) as { reason?: unknown };
  if (typeof reason === 'string') return reason;
  throw new Problem('input', 'expected JSON such as {"reason":"it loops"}');
}
