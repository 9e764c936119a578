import { Failure } from '../../failure.ts';
import { pauseQueue, resumeQueue } from '../../fleet/pauses.ts';
import { command } from '../command.ts';
import { who } from '../who.ts';
import { queueOption, useQueue } from './queue.ts';

export const pause = command({
  name: 'queue pause',
  summary: 'Start no more runs until "queue resume"',
  description: `Runs that have started continue, and runs can still be queued. It holds for all workers, from the moment that the command ends.`,
  options: { reason: { type: 'string', value: 'TEXT', help: 'Why, for the others' }, ...queueOption },
  examples: [['runwire queue pause --reason "the model server is down"', 'Until "runwire queue resume"']],
  async run(values, operands, context) {
    if (operands.length > 0) throw new Failure('input', `unexpected "${operands.join(' ')}"; see --help`);
    return useQueue(values.ledger, context, async (queue) => {
      await pauseQueue(queue, who(), values.reason ?? '');
      return 0;
    });
  },
});

export const resume = command({
  name: 'queue resume',
  summary: 'Start runs again after "queue pause"',
  description: 'Whoever paused the queue, workers take runs again.',
  options: queueOption,
  examples: [['runwire queue resume', 'Workers take runs again']],
  async run(values, operands, context) {
    if (operands.length > 0) throw new Failure('input', `unexpected "${operands.join(' ')}"; see --help`);
    return useQueue(values.ledger, context, async (queue) => {
      await resumeQueue(queue);
      return 0;
    });
  },
});
