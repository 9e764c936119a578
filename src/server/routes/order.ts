import { limitsIn } from '../../contract/orders.ts';
import type { AppParts } from '../app.ts';
import { jsonIn, readBody } from '../body.ts';
import { Problem } from '../problem.ts';
import { namedRun } from '../questions.ts';
import type { Handlers } from '../route.ts';

const mostBytes = 4096;

/** Pauses runs of this machine, lets them go on, and changes their limits; who asked is on their tapes. */
export function orderRoutes({ ledger, order: give }: AppParts) {
  return {
    async 'post /api/runs/{id}/order'(context) {
      const { orderIn } = await import('../../contract/orders-schema.ts');
      const order = orderIn(jsonIn(await readBody(context, mostBytes)));
      if (order === undefined || (order.do === 'limit' && limitsIn(order.limits).length === 0))
        throw new Problem(
          'input',
          'expected JSON such as {"do":"pause"}, {"do":"resume"} or {"do":"limit","limits":{"max_cost_usd":5}}',
        );
      const run = await namedRun(ledger, context.req.param('id'));
      const by = `${context.get('who').name}, from ${context.get('address')}`;
      const refused = give === undefined ? 'this server gives no orders' : await give(run, { ...order, by });
      if (refused !== undefined) throw new Problem('conflict', `this cannot be done from here: ${refused}`);
      return context.json({ run_id: run.id }, 202);
    },
  } satisfies Partial<Handlers>;
}
