import type { Hono } from 'hono';
import { endsWith, stopRun } from '../../ledger/stop.ts';
import type { Room } from '../app.ts';
import { readBody } from '../body.ts';
import type { ServerEnv } from '../env.ts';
import { allow, notSimple } from '../guard.ts';
import { Problem } from '../problem.ts';
import { namedRun } from '../questions.ts';

const mostBytes = 4096;

/** Stops a run of this machine, as Ctrl-C would. */
export function stopRoutes(app: Hono<ServerEnv>, { ledger }: Room): void {
  app.get('/api/runs/:id/stop', allow('stop'), async (context) => {
    const ends = await endsWith(ledger.store, await namedRun(ledger, context.req.param('id')));
    return context.json('refused' in ends ? { run_ids: [], refused: ends.refused } : { run_ids: ends.run_ids });
  });

  app.post('/api/runs/:id/stop', notSimple, allow('stop'), async (context) => {
    const reason = reasonIn(await readBody(context, mostBytes));
    const { name } = context.get('who');
    const by = `${name}, from ${context.get('address')}`;
    const answer = await stopRun(ledger.store, await namedRun(ledger, context.req.param('id')), { by, reason });
    if ('refused' in answer) throw new Problem('conflict', `the run cannot be stopped from here: ${answer.refused}`);
    return context.json(answer, 202);
  });
}

function reasonIn(text: string): string {
  try {
    const { reason = '' } = JSON.parse(text || '{}') as { reason?: unknown };
    if (typeof reason === 'string') return reason;
  } catch {
    // Reported below.
  }
  throw new Problem('input', 'expected JSON such as {"reason":"it loops"}');
}
