import { Failure } from '../../failure.ts';
import { listLimits, setLimit } from '../../fleet/limits.ts';
import { command } from '../command.ts';
import { queueOption, useQueue } from './queue.ts';

export const limit = command({
  name: 'queue limit',
  summary: 'Limit how many runs of a key may run at once',
  operands: '[KEY=VALUE N|none]',
  description: `The limit holds exactly, across all workers. "repo=*" sets the limit of every repo that has none of its own. "none" removes a limit.
Without operands, lists the limits, one JSON line each. Runs that are already running continue.`,
  options: queueOption,
  examples: [
    ['runwire queue limit repo=web 2', 'At most two at once'],
    ["runwire queue limit 'repo=*' 1", 'One at a time for each repository without a limit of its own'],
    ['runwire queue limit repo=web none', 'As many as there are workers'],
  ],
  async run(values, operands, context) {
    const [key, count, ...more] = operands;
    if (more.length > 0 || (key !== undefined && count === undefined))
      throw new Failure('input', 'expected KEY=VALUE and a number, such as: repo=web 2');
    if (key !== undefined && !/^[^=\s]{1,100}=.{1,200}$/u.test(key))
      throw new Failure('input', `"${key}": expected a key such as repo=web, or repo=*`);
    if (count !== undefined && count !== 'none' && !/^\d{1,6}$/.test(count))
      throw new Failure('input', `"${count}": expected a number from 0, or none`);
    return useQueue(values.ledger, context, async (queue) => {
      if (key !== undefined) await setLimit(queue, key, count === 'none' ? undefined : Number(count));
      else for (const each of await listLimits(queue)) await context.print(`${JSON.stringify(each)}\n`);
      return 0;
    });
  },
});
