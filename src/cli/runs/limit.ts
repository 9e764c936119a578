import { changeable, limitsIn, type LimitOrder } from '../../contract/orders.ts';
import { limitFields } from '../../contract/request.ts';
import { readRequest } from '../../contract/requested.ts';
import { Failure } from '../../failure.ts';
import { command } from '../command.ts';
import { who } from '../who.ts';
import { ledgerOption } from './ledger.ts';
import { giveOrders } from './order.ts';

type LimitFlags = {
  [Name in (typeof changeable)[number] as (typeof limitFields)[Name]['flag']['name']]: {
    type: 'string';
    value: string;
    help: string;
  };
};

const flags = Object.fromEntries(
  changeable.map((name) => {
    const { name: flag, type, value, help } = limitFields[name].flag;
    return [flag, { type, value, help }];
  }),
) as LimitFlags;

export const limit = command({
  name: 'runs limit',
  summary: 'Change the limits of a run that is going on',
  operands: 'ID…',
  description: `The limits that are given hold from now on, over all of the run: a run that has used more already is stopped. For runs of yours on
this machine, and for runs on workers, at their next heartbeat. Who changed a limit, and when, is on its tape. An agent that was started with a limit of its
own (the page of the agent says which) keeps that until it is started again, so there it can only be lowered.`,
  options: { ...flags, ...ledgerOption },
  examples: [
    ['runwire runs limit 7kq2 --max-cost-usd 5 --timeout 2h', 'Give it more'],
    ['runwire runs limit 7kq2 --max-turns 10', 'Or less'],
  ],
  async run(values, operands, context) {
    const { limits = {} } = readRequest(values);
    const order: LimitOrder = Object.fromEntries(
      changeable.flatMap((name) => (limits[name] === undefined ? [] : [[name, limits[name]]])),
    );
    if (limitsIn(order).length === 0)
      throw new Failure('input', 'expected at least one limit, such as --max-cost-usd 5; see --help');
    return giveOrders(operands, { do: 'limit', by: who(), limits: order }, values, context);
  },
});
